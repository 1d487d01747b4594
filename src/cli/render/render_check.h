#pragma once

#include <string>

#include "base/result.h"
#include "json/value.h"
#include "operator/runtime/config.h"

namespace coppice::cli {

// What an API server of this release would reject in a set, besides admission: unknown fields,
// values of the wrong type, invalid pods.
base::Status CheckAsServer(const operators::Config& config, const std::string& kubernetes,
                           const json::Value& set);

}  // namespace coppice::cli
