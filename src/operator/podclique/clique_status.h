#pragma once

#include "kube/controller/debouncer.h"
#include "operator/podclique/pass.h"
#include "operator/runtime/step_outcome.h"

namespace coppice::operators::podclique {

// The status that the clique's pods give it.
api::grove::PodCliqueStatus ComputeStatus(const Pass& pass, const StepOutcome& spec_outcome);

// How long status writes of cliques are deferred, so that later changes are written with them.
struct Debouncers {
  // For a new clique whose pods are still being created.
  kube::Debouncer arrival;
  kube::Debouncer usual;

  explicit Debouncers(const kube::PriorityTracker& priorities)
      : arrival({std::chrono::seconds(1), std::chrono::seconds(1), &priorities}),
        usual({.priorities = &priorities}) {}
  void Forget(const api::ObjectKey& clique);
};

// Writes it, and an event when the last scheduled pod was lost. A status that nothing waits
// for is debounced; the outcome then says when to come back.
base::Result<StepOutcome> UpdateStatus(Pass& pass, const StepOutcome& spec_outcome,
                                       Debouncers& debouncers);

}  // namespace coppice::operators::podclique
