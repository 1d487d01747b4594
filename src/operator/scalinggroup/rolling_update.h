#pragma once

#include "operator/runtime/outcome.h"
#include "operator/scalinggroup/pass.h"

namespace coppice::operators::scalinggroup {

// Writes down that an update has begun, when it is the turn of this group's set replica.
Outcome SyncUpdateRecord(Pass& pass);
// Replaces replicas of the old template: those that are not available at once, available ones one
// at a time.
Outcome ReplaceOutdatedReplicas(Pass& pass);

}  // namespace coppice::operators::scalinggroup
