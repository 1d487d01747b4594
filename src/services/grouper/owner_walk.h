#pragma once

#include "base/result.h"
#include "services/grouper/cluster_lookup.h"
#include "services/grouper/groups/grouper.h"

namespace coppice::services::grouper {

// Follows the first owner reference of the pod upwards. An owner that may not be read ends the walk
// at the last one that could.
base::Result<Workload> ResolveOwners(ClusterLookup& lookup, const json::Value& pod);

}  // namespace coppice::services::grouper
