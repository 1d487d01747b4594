#pragma once

#include "engine/session/session.h"

namespace coppice::engine {

// Marks pods that have been releasing for too long as stuck: their resources will not be free soon.
void MarkStuck(Session& session);
// Clears what the last cycle recorded about jobs, and computes what this one needs.
void OpenJobs(Session& session);
// Collects what must be recorded, and leaves the cluster as the decisions will make it.
CycleResult CloseSession(Session& session);

}  // namespace coppice::engine
