#pragma once

#include <string>

#include "base/result.h"
#include "json/value.h"
#include "operator/runtime/config.h"

namespace coppice::cli {

// What an API server of this release would have against a set beyond admission: fields that its
// schema does not know, values of another type, pods that break the rules of pods.
base::Status CheckAsServer(const operators::Config& config, const std::string& kubernetes,
                           const json::Value& set);

}  // namespace coppice::cli
