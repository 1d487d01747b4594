#pragma once

#include "engine/explain/explain.h"
#include "engine/placement/allocator.h"

namespace coppice::engine {

// Why a job waits, found by trying: on the cluster as it is, then with every pod gone. Leaves the
// session as it was.
Explanation ExplainJob(Session& session, Allocator& allocator, JobId job);

}  // namespace coppice::engine
