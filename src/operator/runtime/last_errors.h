#pragma once

#include <vector>

#include "api/grove/meta.h"
#include "operator/runtime/step_outcome.h"

namespace coppice::operators {

// Replaces the list by the errors of this pass; a pass that went well, or merely waits, clears it.
// An error that was there already keeps its time, so that trying again writes nothing.
void UpdateLastErrors(const StepOutcome& outcome, base::Time now,
                      std::vector<api::grove::LastError>& errors);

}  // namespace coppice::operators
