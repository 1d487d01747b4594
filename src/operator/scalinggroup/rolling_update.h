#pragma once

#include "operator/runtime/step_outcome.h"
#include "operator/scalinggroup/pass.h"

namespace coppice::operators::scalinggroup {

// Records the start of an update in the status, if it is the turn of this group's set replica.
StepOutcome SyncUpdateRecord(Pass& pass);
// Replaces replicas of the old template: unavailable ones immediately, available ones one at a
// time.
StepOutcome ReplaceOutdatedReplicas(Pass& pass);

}  // namespace coppice::operators::scalinggroup
