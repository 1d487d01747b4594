#pragma once

#include "api/grove/pod_clique_set.h"
#include "kube/controller/debouncer.h"
#include "operator/common/scope.h"
#include "operator/runtime/context.h"
#include "operator/runtime/step_outcome.h"

namespace coppice::operators::podgang {

// Brings the PodGangs of a set, of the scope's replicas, to what it asks for, whatever its
// scheduler: one per replica, one per scaling group replica beyond the minimum. Pods are referenced
// as they appear. `missing` defers writes of gangs whose pods are still being created.
StepOutcome SyncPodGangs(const Context& context, const api::grove::PodCliqueSet& set,
                         const podcliqueset::Scope& scope, kube::Debouncer& missing);

}  // namespace coppice::operators::podgang
