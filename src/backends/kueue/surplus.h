#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backends/kueue/workload.h"

// Quota for pods beyond a gang's minimum. A Workload's requests are fixed once its quota is
// reserved, but autoscalers keep changing the number of surplus pods. So a first Workload
// `podgang-<gang>-surplus` covers the initial ones, and each growth after its admission gets
// another Workload (`…-surplus-2`, `…-surplus-3`).
namespace coppice::backends::kueue {

struct SurplusWorkload {
  std::string name;
  Counts counts;
  bool open = false;  // No quota is reserved yet, so its requests may still change.
};

// The Workloads that the gang's surplus pods need. Workloads with quota stay unchanged; at most one
// is open, for all pods that the others do not cover. A Workload whose pods are all gone is
// omitted, last one first.
std::vector<SurplusWorkload> PlanSurplus(const GangInput& input);

// A pod beyond the minimum and the admitted Workload whose quota covers it.
struct Seat {
  json::Value pod;
  std::optional<json::Value> workload;
};

// Assigns the admitted Workloads to live surplus pods while there is quota: first to running pods
// whose node selector shows that they were admitted, then to pods for which `waits` is true, lowest
// index first.
std::vector<Seat> SeatSurplus(const GangInput& input, std::span<const json::Value> pods,
                              const std::function<bool(const json::Value&)>& waits);

}  // namespace coppice::backends::kueue
