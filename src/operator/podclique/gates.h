#pragma once

#include "operator/common/outcome.h"
#include "operator/podclique/pass.h"

namespace coppice::operators::podclique {

// Takes our gate off every pod that its backend releases. Gates of others stay.
Outcome ReleasePods(const Pass& pass);

}  // namespace coppice::operators::podclique
