#pragma once

#include "operator/podclique/pass.h"
#include "operator/podclique/pods.h"
#include "operator/runtime/outcome.h"

namespace coppice::operators::podclique {

// Takes our gate off every pod that its backend releases. Gates of others stay.
Outcome ReleasePods(const Pass& pass, PodKeeper& keeper);

}  // namespace coppice::operators::podclique
