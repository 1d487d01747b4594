#pragma once

#include "kube/cache/cache.h"
#include "scenario/invariants/world.h"

namespace coppice::scenario {

// The components' shared cache shows exactly what the API shows. Only when nothing is under way.
void CheckCache(const World& world, kube::Cache& cache, Violations& out);

}  // namespace coppice::scenario
