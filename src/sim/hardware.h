#pragma once

#include "base/result.h"
#include "kube/client/client.h"
#include "sim/cluster_shape.h"

namespace coppice::sim {

// Publishes what nodes tell about their hardware beside their status: the NodeResourceTopologies of
// those with NUMA zones, and the ResourceSlices (with their DeviceClass) of those with devices.
base::Status PublishHardware(kube::Client& client, const ClusterShape& shape);

}  // namespace coppice::sim
