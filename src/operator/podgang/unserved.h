#pragma once

#include <vector>

#include "api/grove/pod_clique_set.h"
#include "backends/model/gang_info.h"
#include "operator/runtime/context.h"
#include "operator/runtime/step_outcome.h"

namespace coppice::operators::podgang {

// Gangs of a set whose scheduler no enabled backend serves: a webhook that would have refused it is
// off, or its profile was disabled since. The PodGangs are there all the same, and their condition
// BackendSynced says why nothing more happens. Fails with `why`, so that it is tried again.
StepOutcome SyncUnserved(const Context& context, const api::grove::PodCliqueSet& set,
                         std::vector<backends::PodGangInfo> gangs, const base::Error& why);

}  // namespace coppice::operators::podgang
