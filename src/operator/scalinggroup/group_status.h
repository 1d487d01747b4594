#pragma once

#include "kube/controller/status_pacer.h"
#include "operator/runtime/outcome.h"
#include "operator/scalinggroup/pass.h"

namespace coppice::operators::scalinggroup {

// The status that the group's PodCliques give it.
api::grove::ScalingGroupStatus ComputeStatus(const Pass& pass, const Outcome& spec_outcome);

// Writes it, and an event when the last scheduled replica was lost. Counters may rest a moment; the
// outcome then says when to come back.
base::Result<Outcome> UpdateStatus(Pass& pass, const Outcome& spec_outcome,
                                   kube::StatusPacer& pacer);

}  // namespace coppice::operators::scalinggroup
