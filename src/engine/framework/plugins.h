#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"

namespace coppice::engine {

struct ScenarioSource;

enum class Placement { kNone, kBinpack, kSpread, kLeastFragmentation };

// The configured plugins as typed settings: which are enabled, in which order if that matters, and
// with which arguments. Unknown names are skipped and reported.
struct Plugins {
  bool predicates = false;
  bool proportion = false;
  bool queue_order = false;        // Queue order of proportion.
  bool reclaim_of_shares = false;  // Which victims proportion lets reclaim take.
  bool nodeavailability = false;
  bool gpusharingorder = false;
  bool gpupack = false;
  bool gpuspread = false;
  bool resourcetype = false;
  bool nominatednode = false;
  bool dynamicresources = false;
  bool reclaim_minruntime = false;
  bool preempt_minruntime = false;
  bool topology = false;
  bool topology_scores = false;
  bool podaffinity = false;
  bool numa = false;
  bool numa_predicate = false;
  bool numa_scores = false;
  Placement gpu_placement = Placement::kNone;
  Placement cpu_placement = Placement::kNone;
  std::vector<uint8_t> job_orders;                      // Indices into JobOrders.
  std::vector<const ScenarioSource*> scenario_sources;  // In the order in which they are tried.

  double usage_weight = 1.0;           // proportion kValue
  double saturation_multiplier = 1.0;  // proportion relcaimerSaturationMultiplier
  base::Duration reclaim_min_runtime{};
  base::Duration preempt_min_runtime{};
  bool reclaim_by_queue = false;  // minruntime reclaimResolveMethod=queue
  std::vector<std::string> numa_ignored;
  bool numa_reconstruct = true;

  std::vector<std::string> unknown;
};

}  // namespace coppice::engine
