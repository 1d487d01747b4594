#pragma once

#include <vector>

#include "engine/framework/session.h"

namespace coppice::engine {

// Which GPUs of the node a task that shares some would take (docs/behaviour/engine.md S-37): those
// that are shared already, or nullptr for one that is whole as yet. Fewer than it asks for where
// there are not enough.
std::vector<const GpuGroup*> ChooseGpus(const Session& session, TaskId task, NodeId node);

}  // namespace coppice::engine
