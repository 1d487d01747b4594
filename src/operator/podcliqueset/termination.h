#pragma once

#include <set>

#include "operator/common/children.h"
#include "operator/runtime/step_outcome.h"

namespace coppice::operators::podcliqueset {

// The result of TerminateBreachedReplicas.
struct TerminationResult {
  StepOutcome outcome = StepOutcome::Done();
  std::set<int> terminated;  // Replicas whose PodCliques were deleted in this reconcile.
  std::set<int> breached;    // Replicas with a breach whose delay has not expired.
};

// Deletes all PodCliques of those `replicas` in which a scaling group or standalone clique has been
// below its minimum for the set's terminationDelay. Flags the replica's scaling groups, so that the
// same breach does not fire again while the replacements start.
TerminationResult TerminateBreachedReplicas(const Context& context,
                                            const api::grove::PodCliqueSet& set,
                                            const SetChildren& children,
                                            const std::vector<int>& replicas);

}  // namespace coppice::operators::podcliqueset
