#pragma once

#include <vector>

#include "kube/manager.h"
#include "services/scheduler/options.h"

namespace coppice::services::scheduler {

// One scheduler per SchedulingShard of the cluster, each with what its shard says over these
// options; the plain one where there is no shard.
base::Result<std::vector<Options>> ReadShards(kube::Client& client, const Options& options);

// Adds a scheduler, with its plugin server where the options give that a port.
base::Status AddWithPluginServer(kube::Manager& manager, Options options);

}  // namespace coppice::services::scheduler
