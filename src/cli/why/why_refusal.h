#pragma once

#include <string>
#include <string_view>

#include "engine/model/explanation.h"
#include "json/value.h"

namespace coppice::cli {

// An explanation about an object instead of a group of the engine.
engine::Explanation ExplanationOf(const json::Value& object, engine::Verdict verdict,
                                  std::string reason, std::string summary);

// Why an object's pods cannot be created, from the server's error message: a ResourceQuota, a
// webhook, a missing reference. `missing`: how many pods are still to be created.
engine::Explanation ExplainRefusal(const json::Value& object, std::string_view message,
                                   int64_t missing);

}  // namespace coppice::cli
