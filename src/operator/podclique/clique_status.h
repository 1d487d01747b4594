#pragma once

#include "kube/controller/debouncer.h"
#include "operator/podclique/pass.h"
#include "operator/runtime/step_outcome.h"

namespace coppice::operators::podclique {

// The clique's status, computed from its pods.
api::grove::PodCliqueStatus ComputeStatus(const Pass& pass, const StepOutcome& spec_outcome);

// How long to defer status writes of cliques, to combine them with later changes.
struct Debouncers {
  // For a new clique whose pods are still being created.
  kube::Debouncer arrival;
  kube::Debouncer usual;

  explicit Debouncers(const kube::PriorityTracker& priorities)
      : arrival({std::chrono::seconds(1), std::chrono::seconds(1), &priorities}),
        usual({.priorities = &priorities}) {}
  void Forget(const api::ObjectKey& clique);
};

// Writes the status, and an event if the last scheduled pod was lost. A status that nothing waits
// for is debounced; the outcome then says when to requeue.
base::Result<StepOutcome> UpdateStatus(Pass& pass, const StepOutcome& spec_outcome,
                                       Debouncers& debouncers);

}  // namespace coppice::operators::podclique
