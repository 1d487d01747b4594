#pragma once

#include <string>

#include "engine/explain/explain.h"
#include "json/value.h"

namespace coppice::cli {

// An explanation as a document:
//   {"group", "object", "verdict", "reason", "summary", "message", "nodes", "evidence", "domain",
//    "largestDomain", "changes": [{"kind", "where", "amount", "resource", "text"}],
//    "alternative": […]}
// Several changes are needed together; the alternative does as well.
json::Value ExplanationJson(const engine::Explanation& explanation);

// A list of those, for people.
std::string FormatWhy(const json::Value& answers);

}  // namespace coppice::cli
