#pragma once

#include <vector>

#include "engine/answers/eta.h"
#include "engine/answers/what_if.h"
#include "json/value.h"

// The engine's answers as documents (types of api/documents/answers_v1.inc).
namespace coppice::services::scheduler {

// An explanation as a document:
//   {"group", "object", "verdict", "reason", "summary", "message", "nodes", "evidence", "domain",
//    "largestDomain", "changes": [{"kind", "where", "amount", "resource", "text"}],
//    "alternative": […]}
// All changes are needed together; the alternative has the same effect.
json::Value ExplanationJson(const engine::Explanation& explanation);

json::Value WhatIfJson(const engine::WhatIfAnswer& answer);
json::Value EtaJson(const engine::EtaAnswer& answer,
                    const std::vector<engine::InputProblem>& problems);

}  // namespace coppice::services::scheduler
