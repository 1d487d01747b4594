#pragma once

#include "operator/podclique/pass.h"
#include "operator/runtime/step_outcome.h"

namespace coppice::operators::podclique {

// Notes in the status that an update has begun, when the set's template has moved on and it is
// this clique's turn. Members of scaling groups are replaced as a whole and keep no record.
void StartUpdate(Pass& pass);

// Replaces pods of the old template: those that are not ready at once, ready ones one at a time,
// each deleted before its successor is created.
StepOutcome ReplaceOutdatedPods(Pass& pass);

}  // namespace coppice::operators::podclique
