#pragma once

#include <vector>

#include "api/grove/meta.h"
#include "operator/runtime/step_outcome.h"

namespace coppice::operators {

// Replaces the list with the errors of this reconcile; success or waiting clears it. An error that
// was already listed keeps its time, so that a retry writes nothing.
void UpdateLastErrors(const StepOutcome& outcome, base::Time now,
                      std::vector<api::grove::LastError>& errors);

}  // namespace coppice::operators
