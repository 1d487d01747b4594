#pragma once

#include <cstdint>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/clock.h"
#include "engine/framework/framework.h"
#include "engine/session/gang.h"

namespace coppice::engine {

// The sort key of jobs within a queue.
struct JobRank {
  int64_t priority = 0;
  base::Time creation{};
  int32_t rank = 0;
  int32_t state = 0;  // The state of its gang (GangState).
};

// 0: some pod set is below its minimum; 1: all are exactly at their minimum; 2: some are above.
int GangState(const Gang& gang);
JobRank KeyOf(const Gang& gang);

// The priority plugin: higher first.
struct PriorityOrder {
  static constexpr std::string_view kName = "priority";
  static int Compare(const JobRank& l, const JobRank& r) {
    return l.priority == r.priority ? 0 : l.priority > r.priority ? -1 : 1;
  }
};

// The elastic plugin: jobs below their minimum first, then those at it, then those above.
struct ElasticOrder {
  static constexpr std::string_view kName = "elastic";
  static int Compare(const JobRank& l, const JobRank& r) { return l.state - r.state; }
};

// All job orders.
using JobOrders = std::tuple<PriorityOrder, ElasticOrder>;

// Whether `l` is served before `r` within one queue (docs/behaviour/engine.md S-79). `orders` lists
// which of JobOrders apply; the first that distinguishes the two decides.
bool InOrder(const std::vector<uint8_t>& orders, const JobRank& l, const JobRank& r);

}  // namespace coppice::engine
