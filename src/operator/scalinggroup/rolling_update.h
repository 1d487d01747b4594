#pragma once

#include "operator/runtime/step_outcome.h"
#include "operator/scalinggroup/pass.h"

namespace coppice::operators::scalinggroup {

// Writes down that an update has begun, when it is the turn of this group's set replica.
StepOutcome SyncUpdateRecord(Pass& pass);
// Replaces replicas of the old template: those that are not available at once, available ones one
// at a time.
StepOutcome ReplaceOutdatedReplicas(Pass& pass);

}  // namespace coppice::operators::scalinggroup
