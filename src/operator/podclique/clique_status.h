#pragma once

#include "kube/controller/status_pacer.h"
#include "operator/podclique/pass.h"
#include "operator/runtime/step_outcome.h"

namespace coppice::operators::podclique {

// The status that the clique's pods give it.
api::grove::PodCliqueStatus ComputeStatus(const Pass& pass, const StepOutcome& spec_outcome);

// How long news of cliques may rest, so that what follows is told with it.
struct Pacers {
  // Pods of a new clique that still come: worth telling when they do not come within a moment.
  kube::StatusPacer arrival;
  kube::StatusPacer usual;

  explicit Pacers(const kube::PriorityTracker& priorities)
      : arrival({std::chrono::seconds(1), std::chrono::seconds(1), &priorities}),
        usual({.priorities = &priorities}) {}
  void Forget(const api::ObjectKey& clique);
};

// Writes it, and an event when the last scheduled pod was lost. News that nobody waits for may
// rest; the outcome then says when to come back.
base::Result<StepOutcome> UpdateStatus(Pass& pass, const StepOutcome& spec_outcome, Pacers& pacers);

}  // namespace coppice::operators::podclique
