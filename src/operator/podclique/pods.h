#pragma once

#include "operator/podclique/pass.h"
#include "operator/runtime/step_outcome.h"

namespace coppice::operators::podclique {

// Brings the number of pods to the clique's replicas. What earlier passes created and deleted is in
// the cache, so nothing is created or deleted twice.
StepOutcome ScalePods(const Pass& pass);

// Deletes one pod; one that is gone already is fine.
base::Status DeletePod(const Pass& pass, const json::Value& pod);

// Whether one of the pass's pods is terminating, or was deleted since the pass began.
bool IsBeingDeleted(const Pass& pass, const json::Value& pod);

}  // namespace coppice::operators::podclique
