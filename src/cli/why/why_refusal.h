#pragma once

#include <string>
#include <string_view>

#include "engine/explain/explain.h"
#include "json/value.h"

namespace coppice::cli {

// An explanation that is about an object rather than a group of the engine's.
engine::Explanation ExplanationOf(const json::Value& object, engine::Verdict verdict,
                                  std::string reason, std::string summary);

// Why pods of an object cannot be made, from the words of the server that refuses them: a
// ResourceQuota, a webhook, what they refer to. `missing`: how many of them are still to be made.
engine::Explanation ExplainRefusal(const json::Value& object, std::string_view message,
                                   int64_t missing);

}  // namespace coppice::cli
