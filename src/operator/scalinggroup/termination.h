#pragma once

#include "operator/runtime/step_outcome.h"
#include "operator/scalinggroup/pass.h"

namespace coppice::operators::scalinggroup {

// Deletes the PodCliques of replicas that have been below their minimum for the set's
// terminationDelay, as long as enough replicas remain. If the group falls below its own minimum,
// the set terminates the whole gang.
StepOutcome TerminateBreachedReplicas(Pass& pass);

}  // namespace coppice::operators::scalinggroup
