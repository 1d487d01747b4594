#pragma once

#include <string>
#include <vector>

#include "backends/framework/backend.h"
#include "backends/framework/registry.h"
#include "kube/client/client.h"

namespace coppice::backends {

// The state of one scheduler's topology object for a ClusterTopologyBinding: an entry of its
// status.schedulerTopologyStatuses.
struct TopologyState {
  std::string scheduler_name;
  std::string reference;  // The object's name.
  bool in_sync = false;
  bool known = true;  // False: no enabled backend of that name has topologies.
  int64_t observed_generation = 0;
  std::string message;
};

// Syncs every enabled scheduler's topology objects with the binding. Objects that the binding
// declares as externally managed (spec.schedulerTopologyBindings) are only compared. The binding
// owns the others, so they are deleted with it. The result is in name order; entries for schedulers
// without topologies come last, as unknown.
base::Result<std::vector<TopologyState>> SyncTopologies(kube::Client& client,
                                                        const BackendSet& backends,
                                                        const GangInput& surroundings,
                                                        const json::Value& binding);

}  // namespace coppice::backends
