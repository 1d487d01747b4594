#pragma once

#include "backends/framework/backend.h"
#include "backends/framework/ladder.h"

namespace coppice::backends::kai {

// The queue for a gang, or the reason why there is none.
base::Result<std::string> Queue(const GangInput& input);

// The PodGroup's name: pg-<gang>-<uid>, the gang's name under compatibility: grove, or the name of
// the PodGroup that the gang already owns.
base::Result<std::string> PodGroupName(const GangInput& input);

// A group's name, shortened so that KAI's sub-groups and pod labels accept it.
std::string SubGroupName(const GangInput& input, std::string_view group);

json::Value PodGroupSpec(const GangInput& input, const TopologyPlan& plan,
                         const std::string& queue);

// The name of the KAI Topology for a gang's constraints; "" if there is none.
std::string TopologyName(const GangInput& input);

}  // namespace coppice::backends::kai
