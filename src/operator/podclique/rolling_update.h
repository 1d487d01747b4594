#pragma once

#include "operator/podclique/pass.h"
#include "operator/runtime/step_outcome.h"

namespace coppice::operators::podclique {

// Records the start of an update in the status if the set's template changed and it is this
// clique's turn. Members of scaling groups are replaced as a whole and have no such record.
void StartUpdate(Pass& pass);

// Replaces pods of the old template: unready pods immediately, ready ones one at a time, each
// deleted before its replacement is created.
StepOutcome ReplaceOutdatedPods(Pass& pass);

}  // namespace coppice::operators::podclique
