#pragma once

#include "backends/framework/backend.h"
#include "backends/framework/ladder.h"

namespace coppice::backends::kai {

// The queue for a gang, or why there is none.
base::Result<std::string> Queue(const GangInput& input);

// The PodGroup's name: pg-<gang>-<uid>, the gang's name under compatibility: grove, or that of
// the PodGroup which the gang owns already.
base::Result<std::string> PodGroupName(const GangInput& input);

// A group's name as KAI's sub-groups and pod labels can hold it.
std::string SubGroupName(const GangInput& input, std::string_view group);

json::Value PodGroupSpec(const GangInput& input, const TopologyPlan& plan,
                         const std::string& queue);

// The name of the KAI Topology behind a gang's constraints; "" when there is none.
std::string TopologyName(const GangInput& input);

}  // namespace coppice::backends::kai
