#pragma once

#include "engine/state/status.h"

namespace coppice::engine {

// Pods that hold a place and do their work, or will. One that is stuck on its way out does not: its
// node has failed, or somebody holds it.
inline int Working(const StatusCounts& counts) {
  return counts.Used() - counts.Of(TaskStatus::kStuckInReleasing);
}

}  // namespace coppice::engine
