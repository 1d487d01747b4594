#pragma once

#include <cstdint>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/clock.h"
#include "engine/framework/framework.h"
#include "engine/placement/gang.h"

namespace coppice::engine {

// What orders jobs within a queue.
struct JobRank {
  int64_t priority = 0;
  base::Time creation{};
  int32_t rank = 0;
  int32_t state = 0;  // How far its gang is (GangState).
};

// 0: some pod set below its minimum, 1: all exactly there, 2: some above.
int GangState(const Gang& gang);
JobRank KeyOf(const Gang& gang);

// The priority plugin: higher first.
struct PriorityOrder {
  static constexpr std::string_view kName = "priority";
  static int Compare(const JobRank& l, const JobRank& r) {
    return l.priority == r.priority ? 0 : l.priority > r.priority ? -1 : 1;
  }
};

// The elastic plugin: those below their minimum before those at it before those above.
struct ElasticOrder {
  static constexpr std::string_view kName = "elastic";
  static int Compare(const JobRank& l, const JobRank& r) { return l.state - r.state; }
};

// All orders of jobs there are.
using JobOrders = std::tuple<PriorityOrder, ElasticOrder>;

// Whether `l` is served before `r` within one queue (docs/behaviour/engine.md S-79). `orders`:
// which of JobOrders decide, the first that tells them apart.
bool InOrder(const std::vector<uint8_t>& orders, const JobRank& l, const JobRank& r);

}  // namespace coppice::engine
