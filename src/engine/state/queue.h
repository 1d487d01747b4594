#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/model/input.h"
#include "engine/state/values/names.h"
#include "engine/state/values/quantities.h"

namespace coppice::engine {

// The inputs and results of a queue's share computation (S-67); GPUs in thousandths, -1 is
// unlimited.
struct QueueAmounts {
  Quantities deserved, limit, weight, usage;
  Sums allocated, allocated_non_preemptible;
  Quantities request, fair_share;
};

struct Queue : QueueAmounts {
  NameId name = 0;
  bool exists = false;
  bool reachable = false;  // All ancestors exist.
  QueueId parent = kNone;
  int priority = 100;
  base::Time creation{};
  std::vector<QueueId> children;  // By name.
  int32_t name_rank = 0;
  std::unique_ptr<const QueueSpec> spec;

  bool leaf() const { return children.empty(); }
};

}  // namespace coppice::engine
