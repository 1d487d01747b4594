#pragma once

#include "backends/framework/registry.h"

namespace coppice::backends {

// A ClusterRole with exactly the rights that processes of the enabled backends need, from the
// resources that they declare. `only` limits it to some of them, for a process that runs one.
json::Value MakeClusterRole(const BackendSet& backends, const std::string& name,
                            const std::vector<std::string>& only = {});

// The same rules by backend, for a chart that knows only when it is rendered which of them are
// enabled; of every backend in the program, as far as no profile asks for more.
//
//   kai:
//     schedulerName: kai-scheduler
//     process: […]   # a process that runs the backend
//     operator: […]  # an operator that leaves it to such a process: what pods carry, topologies
//     both: […]      # an operator that runs it itself
//   kueue: {process, operator, both}  # beyond that, for profiles with config.admission: kueue
json::Value RulesByBackend();

}  // namespace coppice::backends
