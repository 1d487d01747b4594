#pragma once

#include <string>

#include "engine/model/explanation.h"
#include "json/value.h"

namespace coppice::cli {

// An explanation as a document:
//   {"group", "object", "verdict", "reason", "summary", "message", "nodes", "evidence", "domain",
//    "largestDomain", "changes": [{"kind", "where", "amount", "resource", "text"}],
//    "alternative": […]}
// All changes are needed together; the alternative has the same effect.
json::Value ExplanationJson(const engine::Explanation& explanation);

// Formats a list of explanations for humans.
std::string FormatWhy(const json::Value& answers);

}  // namespace coppice::cli
