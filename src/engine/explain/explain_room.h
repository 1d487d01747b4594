#pragma once

#include "engine/explain/trial.h"
#include "engine/model/explanation.h"

namespace coppice::engine {

// Explains what nodes lack or reject, ignoring queues: sets verdict, reason, summary and changes.
void ExplainRoom(Trial& trial, Explanation& out);

}  // namespace coppice::engine
