#pragma once

#include <string>
#include <vector>

#include "backends/framework/backend.h"
#include "backends/framework/registry.h"
#include "kube/client/client.h"

namespace coppice::backends {

// How one scheduler's own topology object stands to a ClusterTopologyBinding: an entry of its
// status.schedulerTopologyStatuses.
struct TopologyState {
  std::string scheduler_name;
  std::string reference;  // The object's name.
  bool in_sync = false;
  bool known = true;  // False: no enabled backend of that name keeps topologies.
  int64_t observed_generation = 0;
  std::string message;
};

// Brings every enabled scheduler's topology objects in line with the binding, except those that
// the binding declares to be someone else's (spec.schedulerTopologyBindings), which are only
// compared. Objects belong to the binding: they go when it goes. In name order; bindings that name
// schedulers without topologies come last, as unknown.
base::Result<std::vector<TopologyState>> SyncTopologies(kube::Client& client,
                                                        const BackendSet& backends,
                                                        const GangInput& surroundings,
                                                        const json::Value& binding);

}  // namespace coppice::backends
