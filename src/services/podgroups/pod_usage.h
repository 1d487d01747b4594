#pragma once

#include <vector>

#include "base/result.h"
#include "json/value.h"
#include "services/common/resource_map.h"

// What one pod requests and holds, as counted in a PodGroup's status (docs/behaviour/services.md
// K-42).
namespace coppice::services::podgroups {

struct PodUsage {
  ResourceMap requested;
  ResourceMap allocated;
};

// `node` is the pod's, null if unknown; used only for GPU memory. `claims` are the pod's resource
// claims.
base::Result<PodUsage> UsageOf(const json::Value& pod, const json::Value& node,
                               const std::vector<json::Value>& claims);

bool IsTerminal(const json::Value& pod);
// Has a node, or is about to have one.
bool IsScheduled(const json::Value& pod);
// Memory of one GPU of the node, in the units of the pods' annotation.
base::Result<base::Quantity> GpuMemoryOf(const json::Value& node);

}  // namespace coppice::services::podgroups
