#pragma once

#include <vector>

#include "api/grove/pod_clique_set.h"
#include "backends/model/gang_info.h"
#include "operator/runtime/context.h"
#include "operator/runtime/step_outcome.h"

namespace coppice::operators::podgang {

// Handles gangs of a set whose scheduler no enabled backend serves: the webhook that would have
// rejected it is off, or the profile was disabled later. Writes the PodGangs anyway, with a
// BackendSynced condition that explains why they make no progress. Fails with `why`, so that the
// set is retried.
StepOutcome SyncUnserved(const Context& context, const api::grove::PodCliqueSet& set,
                         std::vector<backends::PodGangInfo> gangs, const base::Error& why);

}  // namespace coppice::operators::podgang
