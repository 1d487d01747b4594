#pragma once

#include "operator/podclique/pass.h"
#include "operator/runtime/step_outcome.h"

namespace coppice::operators::podclique {

// Removes our gate from every pod that its backend releases. Other gates stay.
StepOutcome ReleasePods(const Pass& pass);

}  // namespace coppice::operators::podclique
