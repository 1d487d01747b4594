#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/result.h"
#include "kube/client/client.h"

namespace coppice::cli {

// The workloads of a queue: PodGroups, of which a Job or a gang has one.
struct QueueLoad {
  int64_t running = 0;  // With a pod on a node.
  int64_t waiting = 0;  // With a pod that has no node yet; it may run in part.
};

// By queue. Forbidden if the user may not list PodGroups or pods of all namespaces.
base::Result<std::map<std::string, QueueLoad>> ReadQueueLoads(kube::Client& client);

}  // namespace coppice::cli
