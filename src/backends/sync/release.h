#pragma once

#include "backends/framework/gates.h"
#include "backends/framework/selection.h"
#include "backends/gangs/cache_view.h"
#include "backends/gangs/gang_reader.h"

namespace coppice::backends {

// Reads from the caches what decides whether a pod's gate may be removed. `gang` is the pod's gang.
ReleaseInput ReadRelease(const CacheView& view, const GangReader& reader,
                         const Selection& selection, const CompatibilityPolicy& policy,
                         const json::Value& pod, const json::Value& gang);

}  // namespace coppice::backends
