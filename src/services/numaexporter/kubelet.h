#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "services/numaexporter/pod_resources.h"

namespace coppice::services::numaexporter {

// Asks the kubelet at this unix socket for v1.PodResourcesLister/List. Blocks for at most
// `timeout`.
base::Result<std::vector<PodResources>> ListPodResources(const std::string& socket,
                                                         base::Duration timeout);

}  // namespace coppice::services::numaexporter
