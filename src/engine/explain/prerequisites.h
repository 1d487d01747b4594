#pragma once

#include <vector>

#include "engine/explain/explain.h"
#include "engine/placement/allocator.h"

namespace coppice::engine {

// What a pod needs whatever the node, and what does not exist or is not as it must be: ConfigMaps,
// volume claims, resource claims, device classes; with what to do about each.
std::vector<Explanation::Change> MissingPrerequisites(const Session& session,
                                                      const Allocator& allocator, TaskId task);

}  // namespace coppice::engine
