#pragma once

#include <vector>

#include "engine/session/session.h"

namespace coppice::engine {

// Which GPUs of the node a task with GPU sharing would use (docs/behaviour/engine.md S-37):
// existing shared ones, or nullptr for one that is still whole. Returns fewer than requested if
// there are not enough.
std::vector<const GpuGroup*> ChooseGpus(const Session& session, TaskId task, NodeId node);

}  // namespace coppice::engine
