#pragma once

#include <vector>

#include "base/result.h"
#include "kube/client.h"
#include "services/scheduler/options.h"

namespace coppice::sim {

// One scheduler per SchedulingShard of the cluster, each with what its shard says; the plain one
// where there is no shard.
base::Result<std::vector<services::scheduler::Options>> ReadShards(kube::Client& client);

}  // namespace coppice::sim
