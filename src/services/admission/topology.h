#pragma once

#include "json/value.h"
#include "services/admission/verdict.h"

namespace coppice::services::admission {

// Aliases of a Topology's levels are unique and no node label of it (spec/services.md 8.6).
Verdict ValidateTopology(const json::Value& topology);

}  // namespace coppice::services::admission
