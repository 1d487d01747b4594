#pragma once

#include "api/grove/pod_clique_set.h"
#include "kube/status_pacer.h"
#include "operator/common/context.h"
#include "operator/common/outcome.h"
#include "operator/podcliqueset/scope.h"

namespace coppice::operators::podgang {

// Brings the PodGangs of a set, of the scope's replicas, to what it asks for, whatever its
// scheduler: one per replica, one per scaling group replica beyond the minimum. Pods are referenced
// as they appear; once all are there the gang is Initialized.
//
// `pacer` holds back "not initialized yet" of new gangs, which most often is true for a moment
// only.
Outcome SyncPodGangs(const Context& context, const api::grove::PodCliqueSet& set,
                     const podcliqueset::Scope& scope, kube::StatusPacer& pacer);

}  // namespace coppice::operators::podgang
