#pragma once

#include <string>

#include "base/clock.h"
#include "engine/gang.h"
#include "engine/result.h"

// Texts of events, conditions and evictions, word for word KAI's (spec 1.9).

namespace coppice::engine {

FitError PreemptionDelayError(base::Duration delay, base::Time until);
// A pod set found nodes for only some of its pods. `reason` is the failing pod's own text.
FitError GangError(const Cluster& cluster, const Gang& gang, int pod_set, int found, TaskId task,
                   const std::string& reason);
std::string NotReadyText(const Cluster& cluster, const Gang& gang);
std::string StaleText(const Cluster& cluster, const Gang& gang);
std::string NodePoolOf(const Job& job);

}  // namespace coppice::engine
