#pragma once

#include "api/grove/pod_clique_set.h"
#include "kube/controller/debouncer.h"
#include "operator/common/scope.h"
#include "operator/runtime/context.h"
#include "operator/runtime/step_outcome.h"

namespace coppice::operators::podgang {

// Syncs the PodGangs of the scope's replicas with the set, for any scheduler: one per replica, and
// one per scaling group replica beyond the minimum. Pods are referenced as they appear. `missing`
// defers writes of gangs whose pods are still being created.
StepOutcome SyncPodGangs(const Context& context, const api::grove::PodCliqueSet& set,
                         const podcliqueset::Scope& scope, kube::Debouncer& missing);

}  // namespace coppice::operators::podgang
