#pragma once

#include "engine/explain/explain.h"
#include "engine/framework/session.h"
#include "engine/placement/gang.h"

namespace coppice::engine {

// Whether the gang's queue takes no work: it does not exist, a parent of it does not, or it has
// children. Completes verdict, reason, summary and changes then.
bool ExplainMissingQueue(const Session& session, const Gang& gang, Explanation& out);

}  // namespace coppice::engine
