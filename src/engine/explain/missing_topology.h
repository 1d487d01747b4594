#pragma once

#include "engine/model/explanation.h"
#include "engine/session/gang.h"
#include "engine/session/session.h"

namespace coppice::engine {

// Whether the gang names a topology that does not exist, or a level that its topology does not
// have. If so, `out` explains it and lists the existing ones.
bool ExplainMissingTopology(const Session& session, const Gang& gang, Explanation& out);

}  // namespace coppice::engine
