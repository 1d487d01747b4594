#pragma once

#include "api/view/kai.h"
#include "services/admission/verdict.h"

namespace coppice::services::admission {

// Aliases of a Topology's levels are unique and no node label of it (docs/behaviour/services.md
// K-03).
Verdict ValidateTopology(view::kai::Topology topology);

}  // namespace coppice::services::admission
