#pragma once

#include "operator/podclique/pass.h"
#include "operator/runtime/step_outcome.h"

namespace coppice::operators::podclique {

// Scales the pods to the clique's replicas. The cache already contains the effects of earlier
// reconciles, so nothing is created or deleted twice.
StepOutcome ScalePods(const Pass& pass);

// Deletes one pod; succeeds if it is already gone.
base::Status DeletePod(const Pass& pass, const json::Value& pod);

// Whether a pod is terminating, or was deleted since this reconcile began.
bool IsBeingDeleted(const Pass& pass, const json::Value& pod);

}  // namespace coppice::operators::podclique
