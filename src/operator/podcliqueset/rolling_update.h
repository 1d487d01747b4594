#pragma once

#include "operator/common/children.h"
#include "operator/podcliqueset/termination.h"
#include "operator/runtime/step_outcome.h"

namespace coppice::operators::podcliqueset {

// Advances a running update: replicas of the set are updated one after the other, those without
// scheduled pods first, then breached ones, then by index. Writes the set's status.
StepOutcome AdvanceUpdate(const Context& context, api::grove::PodCliqueSet& set,
                          const SetChildren& children, const TerminationResult& termination);

}  // namespace coppice::operators::podcliqueset
