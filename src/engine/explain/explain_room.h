#pragma once

#include "engine/explain/explain.h"
#include "engine/explain/trial.h"

namespace coppice::engine {

// Explains what nodes lack or reject, ignoring queues: sets verdict, reason, summary and changes.
void ExplainRoom(Trial& trial, Explanation& out);

}  // namespace coppice::engine
