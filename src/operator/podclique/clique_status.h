#pragma once

#include "kube/status_pacer.h"
#include "operator/common/outcome.h"
#include "operator/podclique/pass.h"

namespace coppice::operators::podclique {

// The status that the clique's pods give it.
api::grove::PodCliqueStatus ComputeStatus(const Pass& pass, const Outcome& spec_outcome);

// Writes it, and an event when the last scheduled pod was lost. News that nobody waits for may rest
// a moment, so that what follows is told with it; the outcome then says when to come back.
base::Result<Outcome> UpdateStatus(Pass& pass, const Outcome& spec_outcome,
                                   kube::StatusPacer& pacer);

}  // namespace coppice::operators::podclique
