#pragma once

#include "operator/common/outcome.h"
#include "operator/scalinggroup/pass.h"

namespace coppice::operators::scalinggroup {

// The status that the group's PodCliques give it.
api::grove::ScalingGroupStatus ComputeStatus(const Pass& pass, const Outcome& spec_outcome);

// Writes it, and an event when the last scheduled replica was lost.
base::Status UpdateStatus(Pass& pass, const Outcome& spec_outcome);

}  // namespace coppice::operators::scalinggroup
