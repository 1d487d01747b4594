#pragma once

#include <span>
#include <vector>

#include "engine/state/cluster.h"

namespace coppice::engine {

// Whether the GPUs that an eviction frees can hold a probe's tasks at all, for tasks that all want
// the same number: most scenarios fail for this reason, and counting is cheaper than trying.
class GpuBound {
 public:
  // O(nodes). `recorded`: victims that every scenario of the probe has.
  GpuBound(const Cluster& cluster, std::span<const TaskId> pending,
           std::span<const TaskId> recorded);

  // O(victims).
  bool Allows(std::span<const TaskId> victims) const;
  // Whether victims of one node alone, be it all that there are, never suffice. Says no where
  // some victim's gang spans nodes, or where one slot is missing. O(tasks of the candidates).
  bool OneNodeIsTooFew(std::span<const JobId> candidates) const;

 private:
  int64_t SlotsWith(NodeId node, int64_t freed) const;

  const Cluster& cluster_;
  int64_t each_ = 0;  // 0: the tasks differ, and nothing is known.
  int64_t need_ = 0;
  int64_t slots_ = 0;
  std::vector<int64_t> free_;           // By node, with what the recorded victims free.
  mutable std::vector<int64_t> freed_;  // By node; zero between calls.
};

}  // namespace coppice::engine
