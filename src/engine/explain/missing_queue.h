#pragma once

#include "engine/model/explanation.h"
#include "engine/session/gang.h"
#include "engine/session/session.h"

namespace coppice::engine {

// Whether the gang's queue accepts no work: it or one of its ancestors does not exist, or it has
// children. If so, sets verdict, reason, summary and changes.
bool ExplainMissingQueue(const Session& session, const Gang& gang, Explanation& out);

}  // namespace coppice::engine
