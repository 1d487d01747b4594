#pragma once

#include "backends/framework/registry.h"

namespace coppice::backends {

// A ClusterRole with exactly the permissions that the enabled backends need, derived from the
// resources they declare. `only` limits it to some backends, for a process that runs only those.
json::Value MakeClusterRole(const BackendSet& backends, const std::string& name,
                            const std::vector<std::string>& only = {});

// The same rules by backend, for a chart that knows only at render time which backends are enabled.
// Covers every compiled-in backend, without what individual profiles may add.
//
//   kai:
//     schedulerName: kai-scheduler
//     process: […]   # a process that runs the backend
//     operator: […]  # an operator without the backend: for pod metadata and topologies
//     both: […]      # an operator that runs the backend itself
//   kueue: {process, operator, both}  # additional rules for profiles with config.admission: kueue
json::Value RulesByBackend();

}  // namespace coppice::backends
