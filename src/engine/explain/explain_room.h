#pragma once

#include "engine/explain/explain.h"
#include "engine/explain/trial.h"

namespace coppice::engine {

// What nodes lack, or refuse, queues apart: completes verdict, reason, summary and changes.
void ExplainRoom(Trial& trial, Explanation& out);

}  // namespace coppice::engine
