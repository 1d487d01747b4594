#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backends/kueue/workload.h"

// Quota for pods beyond a gang's minimum. What a Workload asks for is fixed once quota is reserved
// for it, and the number of such pods moves with every autoscaler: a first Workload
// `podgang-<gang>-surplus` counts those of the beginning, and each growth after its admission is
// counted by one more (`…-surplus-2`, `…-surplus-3`).
namespace coppice::backends::kueue {

struct SurplusWorkload {
  std::string name;
  Counts counts;
  bool open = false;  // No quota is reserved yet: what it asks for may still change.
};

// The Workloads that the gang's surplus needs. Those with quota stay as they are; at most one is
// open, for all pods that they do not count. One whose pods are all gone is left out, the last
// first.
std::vector<SurplusWorkload> PlanSurplus(const GangInput& input);

// A pod beyond the minimum, and the admitted Workload whose quota counts it.
struct Seat {
  json::Value pod;
  std::optional<json::Value> workload;
};

// Gives every live surplus pod among `pods` its seat while there are any: first those that run,
// where their node selector says that they were admitted, then those that `waits` is true for, the
// lowest index first.
std::vector<Seat> SeatSurplus(const GangInput& input, std::span<const json::Value> pods,
                              const std::function<bool(const json::Value&)>& waits);

}  // namespace coppice::backends::kueue
