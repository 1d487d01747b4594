#pragma once

#include "engine/model/explanation.h"
#include "engine/placement/allocator.h"

namespace coppice::engine {

// Finds out why a job waits by trying: on the cluster as it is, then without all other pods. Leaves
// the session unchanged.
Explanation ExplainJob(Session& session, Allocator& allocator, JobId job);

}  // namespace coppice::engine
