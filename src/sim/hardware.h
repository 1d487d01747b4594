#pragma once

#include "base/result.h"
#include "kube/client/client.h"
#include "sim/cluster_shape.h"

namespace coppice::sim {

// Publishes hardware information of nodes that is not in their status: the NodeResourceTopologies
// of nodes with NUMA zones, and the ResourceSlices (with their DeviceClass) of nodes with devices.
base::Status PublishHardware(kube::Client& client, const ClusterShape& shape);

}  // namespace coppice::sim
