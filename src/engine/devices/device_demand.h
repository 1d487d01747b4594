#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/state/cluster.h"

namespace coppice::engine {

struct DeviceDemand {
  int64_t requested = 0;
  int64_t free = 0;          // In the whole cluster.
  int64_t free_on_node = 0;  // On the node with the most.
  int64_t all_on_node = 0;   // The same if none were in use.
};

// What the unallocated claims of these tasks ask for, by device class. Call during a session, in
// which claims have their in-cycle allocations.
std::map<std::string, DeviceDemand> DeviceDemands(const Cluster& cluster,
                                                  const std::vector<TaskId>& tasks);

}  // namespace coppice::engine
