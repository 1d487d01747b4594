#pragma once

#include "operator/podclique/pass.h"
#include "operator/runtime/step_outcome.h"

namespace coppice::operators::podclique {

// Takes our gate off every pod that its backend releases. Gates of others stay.
StepOutcome ReleasePods(const Pass& pass);

}  // namespace coppice::operators::podclique
