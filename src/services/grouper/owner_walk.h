#pragma once

#include "base/result.h"
#include "services/grouper/cluster_lookup.h"
#include "services/grouper/groups/grouper.h"

namespace coppice::services::grouper {

// Follows the first owner reference of the pod upwards. If reading an owner is forbidden, the walk
// ends at the last readable one.
base::Result<Workload> ResolveOwners(ClusterLookup& lookup, const json::Value& pod);

}  // namespace coppice::services::grouper
