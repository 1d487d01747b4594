#pragma once

#include "operator/runtime/step_outcome.h"
#include "operator/scalinggroup/pass.h"

namespace coppice::operators::scalinggroup {

// Deletes the PodCliques of replicas beyond the group's size.
StepOutcome ScaleIn(Pass& pass);
// Creates missing PodCliques. Existing ones keep the template they were created from, unless the
// set leaves replacing pods to its user.
StepOutcome SyncMembers(Pass& pass);

}  // namespace coppice::operators::scalinggroup
