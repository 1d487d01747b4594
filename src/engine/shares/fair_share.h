#pragma once

#include <span>
#include <vector>

#include "base/clock.h"

namespace coppice::engine {

// One queue in a division: its quota, request and limit (-1: unlimited) and, after dividing, its
// fair share.
struct ShareRequest {
  double deserved = 0;
  double limit = -1;
  double weight = 0;
  double usage = 0;
  double request = 0;
  int priority = 100;
  base::Time creation{};
  int name_rank = 0;
  double fair_share = 0;
};

// Divides `total` of one resource among sibling queues (docs/behaviour/engine.md S-67): quotas
// first; then, priority by priority, the rest by weight (corrected by past usage with factor `k`)
// in whole units of `unit`; then what rounding left over, one unit each. Without a unit nothing is
// rounded. `leftover`: whether the last unit may exceed what a queue requests.
enum class Leftover { kWholeUnits, kAsRequested };
void DivideFairShare(double total, double k, double unit, std::span<ShareRequest> queues,
                     Leftover leftover = Leftover::kWholeUnits);

}  // namespace coppice::engine
