#pragma once

#include "api/grove/pod_clique_set.h"
#include "kube/controller/status_pacer.h"
#include "operator/common/scope.h"
#include "operator/runtime/context.h"
#include "operator/runtime/step_outcome.h"

namespace coppice::operators::podgang {

// How long news of gangs may rest.
struct Pacers {
  // What a gang lacks is worth telling when no pod of it has come for a moment; most often it is
  // true for no longer.
  kube::StatusPacer missing;
  // That it lacks nothing is told by its backend, with the rest that is said then; by us when there
  // is none to do so.
  kube::StatusPacer complete;

  explicit Pacers(const kube::Urgency& urgency)
      : missing({std::chrono::seconds(1), std::chrono::seconds(3), &urgency, kube::Turn::kSoon}),
        complete({std::chrono::seconds(1), std::chrono::seconds(1), &urgency}) {}
  void Forget(const api::ObjectKey& gang);
};

// Brings the PodGangs of a set, of the scope's replicas, to what it asks for, whatever its
// scheduler: one per replica, one per scaling group replica beyond the minimum. Pods are referenced
// as they appear; once all are there the gang is Initialized.
StepOutcome SyncPodGangs(const Context& context, const api::grove::PodCliqueSet& set,
                         const podcliqueset::Scope& scope, Pacers& pacers);

}  // namespace coppice::operators::podgang
