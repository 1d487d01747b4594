#pragma once

#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "kube/client/client.h"
#include "sim/cluster_shape.h"

namespace coppice::stack {

// The name of the topology that `coppice up` describes its simulated nodes with.
inline constexpr std::string_view kTopologyName = "default";

// The RuntimeClass of pods that share a GPU.
inline constexpr std::string_view kGpuRuntimeClass = "nvidia";

// What a usable cluster has from the start: system namespaces, priority classes, the default queue
// and its parent, the default shard, the nodes and their topology. Objects that exist are left as
// they are, so that a restart keeps what users changed. `default_quota` is the quota of the default
// queue and its parent, of each resource; -1 is unlimited.
base::Status Bootstrap(kube::Client& client, const sim::ClusterShape& shape, double default_quota);

// What claims get that name no class. Without someone who makes volumes it would be a promise that
// nobody keeps.
base::Status EnsureDefaultStorageClass(kube::Client& client);

// Holds a Lease without end while our scheduler runs in this process, and none while it does not:
// that is how others see that there is one.
base::Status ShowScheduler(kube::Client& client, bool runs, base::Time now);

}  // namespace coppice::stack
