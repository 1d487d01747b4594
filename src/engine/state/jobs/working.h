#pragma once

#include "engine/state/jobs/status.h"

namespace coppice::engine {

// The number of pods that hold a place and work, or will. Excludes pods that are stuck terminating:
// their node has failed, or something blocks their deletion.
inline int Working(const StatusCounts& counts) {
  return counts.Used() - counts.Of(TaskStatus::kStuckInReleasing);
}

}  // namespace coppice::engine
