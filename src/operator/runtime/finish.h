#pragma once

#include "base/result.h"
#include "kube/controller/reconciler.h"
#include "operator/runtime/step_outcome.h"

namespace coppice::operators {

// Converts the outcome for the work queue: failures back off, waiting is requeued after its delay.
base::Result<kube::Requeue> Finish(const StepOutcome& outcome);

}  // namespace coppice::operators
