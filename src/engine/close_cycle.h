#pragma once

#include "engine/framework/session.h"

namespace coppice::engine {

// Releasing pods that have been so for too long are stuck: what they hold is not coming back soon.
void MarkStuck(Session& session);
// Clears what the last cycle said about jobs and works out what this one needs to know.
void OpenJobs(Session& session);
// Gathers what is to be recorded, and leaves the cluster as the decisions will make it.
CycleResult CloseSession(Session& session);

}  // namespace coppice::engine
