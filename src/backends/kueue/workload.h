#pragma once

#include "backends/kueue/kueue.h"
#include "backends/ladder.h"
#include "backends/queue.h"

namespace coppice::backends::kueue {

// The version that is served, "" when none is.
std::string Version(const GangInput& input);
std::string WorkloadName(const GangInput& input, bool surplus);
// The LocalQueue that the set, or its cliques, name.
QueueAnswer Queue(const GangInput& input);

// How topology is asked of Kueue for one group; null when it is not.
json::Value TopologyRequest(const GangInput& input, const PodGroupInfo& group);
// Why Kueue cannot take the gang's topology, when the profile does not let it be delegated.
std::optional<Refusal> CheckTopology(const GangInput& input);

base::Result<json::Value> MakeWorkload(const GangInput& input, bool surplus);

}  // namespace coppice::backends::kueue
