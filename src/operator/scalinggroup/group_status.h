#pragma once

#include "kube/controller/debouncer.h"
#include "operator/runtime/step_outcome.h"
#include "operator/scalinggroup/pass.h"

namespace coppice::operators::scalinggroup {

// The status that the group's PodCliques give it.
api::grove::ScalingGroupStatus ComputeStatus(const Pass& pass, const StepOutcome& spec_outcome);

// Writes it, and an event when the last scheduled replica was lost. Writes of
// counters alone are debounced; the outcome then says when to come back.
base::Result<StepOutcome> UpdateStatus(Pass& pass, const StepOutcome& spec_outcome,
                                       kube::Debouncer& debouncer);

}  // namespace coppice::operators::scalinggroup
