#pragma once

#include "kube/controller/debouncer.h"
#include "operator/runtime/step_outcome.h"
#include "operator/scalinggroup/pass.h"

namespace coppice::operators::scalinggroup {

// The group's status, computed from its PodCliques.
api::grove::ScalingGroupStatus ComputeStatus(const Pass& pass, const StepOutcome& spec_outcome);

// Writes the status, and an event if the last scheduled replica was lost. Writes of only counters
// are debounced; the outcome then says when to requeue.
base::Result<StepOutcome> UpdateStatus(Pass& pass, const StepOutcome& spec_outcome,
                                       kube::Debouncer& debouncer);

}  // namespace coppice::operators::scalinggroup
