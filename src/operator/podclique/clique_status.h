#pragma once

#include "operator/common/outcome.h"
#include "operator/podclique/pass.h"

namespace coppice::operators::podclique {

// The status that the clique's pods give it.
api::grove::PodCliqueStatus ComputeStatus(const Pass& pass, const Outcome& spec_outcome);

// Writes it, and an event when the last scheduled pod was lost.
base::Status UpdateStatus(Pass& pass, const Outcome& spec_outcome);

}  // namespace coppice::operators::podclique
