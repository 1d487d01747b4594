#pragma once

#include "backends/framework/ladder.h"

namespace coppice::backends::volcano {

// Whether sub-groups are supported (Volcano 1.14).
bool HasSubGroups(const GangInput& input);

// The queue, or why there is none. Checks that the queue exists and is open if queues can be read.
base::Result<std::string> Queue(const GangInput& input);

TopologyPlan PlanFor(const GangInput& input);

struct PodGroupSpec {
  std::optional<Refusal> refusal;
  json::Value spec;
  std::vector<Outcome> outcomes;
};
PodGroupSpec MakeSpec(const GangInput& input, const TopologyPlan& plan, const std::string& queue);

}  // namespace coppice::backends::volcano
