#pragma once

#include "base/result.h"
#include "kube/controller/reconciler.h"
#include "operator/runtime/step_outcome.h"

namespace coppice::operators {

// What the work queue is told: failures back off, waiting comes again after its delay.
base::Result<kube::Requeue> Finish(const StepOutcome& outcome);

}  // namespace coppice::operators
