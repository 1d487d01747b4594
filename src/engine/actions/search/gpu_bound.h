#pragma once

#include <span>
#include <vector>

#include "engine/state/cluster.h"

namespace coppice::engine {

// Whether the GPUs that an eviction frees could hold a probe's tasks at all, for tasks that all
// request the same number. Most scenarios fail for this reason, and counting is cheaper than
// simulating.
class GpuBound {
 public:
  // O(nodes). `recorded`: the victims in every scenario of the probe.
  GpuBound(const Cluster& cluster, std::span<const TaskId> pending,
           std::span<const TaskId> recorded);

  // O(victims).
  bool Allows(std::span<const TaskId> victims) const;
  // Whether the victims of a single node never suffice, even if all of them are evicted. Returns
  // false if a victim's gang spans nodes, or if only one slot is missing. O(tasks of the
  // candidates).
  bool OneNodeIsTooFew(std::span<const JobId> candidates) const;

 private:
  int64_t SlotsWith(NodeId node, int64_t freed) const;

  const Cluster& cluster_;
  int64_t each_ = 0;  // 0: the tasks differ, so no bound is known.
  int64_t need_ = 0;
  int64_t slots_ = 0;
  std::vector<int64_t> free_;           // By node, including what the recorded victims free.
  mutable std::vector<int64_t> freed_;  // By node; zero between calls.
};

}  // namespace coppice::engine
