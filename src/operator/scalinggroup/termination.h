#pragma once

#include "operator/runtime/step_outcome.h"
#include "operator/scalinggroup/pass.h"

namespace coppice::operators::scalinggroup {

// Deletes the PodCliques of replicas that have been below their minimum for the set's
// terminationDelay, as long as enough replicas are left. Below the group's own minimum the whole
// gang is the set's business.
StepOutcome TerminateBreachedReplicas(Pass& pass);

}  // namespace coppice::operators::scalinggroup
