#pragma once

#include "backends/registry.h"

namespace coppice::backends {

// A ClusterRole with exactly the rights that the enabled backends need, from the resources that
// they declare. `only` limits it to some of them, for a process that runs one backend.
json::Value MakeClusterRole(const BackendSet& backends, const std::string& name,
                            const std::vector<std::string>& only = {});

}  // namespace coppice::backends
