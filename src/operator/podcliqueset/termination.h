#pragma once

#include <set>

#include "operator/common/children.h"
#include "operator/runtime/step_outcome.h"

namespace coppice::operators::podcliqueset {

// What became of gangs whose minimum is breached.
struct TerminationResult {
  StepOutcome outcome = StepOutcome::Done();
  std::set<int> terminated;  // Replicas whose PodCliques were deleted in this pass.
  std::set<int> breached;    // Replicas with a breach that is not due yet.
};

// Deletes all PodCliques of those of `replicas` in which a scaling group or standalone clique has
// been below its minimum for the set's terminationDelay. Scaling groups of the replica are flagged,
// so that the same breach does not fire again while its successors come up.
TerminationResult TerminateBreachedReplicas(const Context& context,
                                            const api::grove::PodCliqueSet& set,
                                            const SetChildren& children,
                                            const std::vector<int>& replicas);

}  // namespace coppice::operators::podcliqueset
