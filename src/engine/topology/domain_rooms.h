#pragma once

#include <span>
#include <vector>

#include "engine/state/cluster.h"
#include "engine/state/topology_tree.h"

namespace coppice::engine {

// A query about room: for pods that request at most this much each.
struct RoomQuestion {
  Amounts largest;  // The pods are alike enough to be counted; otherwise only amounts are compared.
  bool counts = false;  // The pods are alike enough to be counted; else only amounts tell.
  int64_t pods = 0;     // If they only need a pod slot, all of them fit anywhere.

  friend bool operator==(const RoomQuestion&, const RoomQuestion&) = default;
};

// The free amounts in every domain of a topology, and how many of the queried pods fit there. Kept
// between queries: O(nodes) at first, then O(depth) for each lowest-level domain with nodes that
// were charged since. All sums are integers, so incremental updates are exact.
class DomainRooms {
 public:
  DomainRooms(const Cluster& cluster, const TopologyTree& tree, RoomQuestion question);

  const TopologyTree& tree() const { return tree_; }
  const RoomQuestion& question() const { return question_; }
  // Call before reading.
  void Refresh();
  std::span<const int64_t> Free(int domain) const {
    return {values_.data() + static_cast<size_t>(domain) * width_, static_cast<size_t>(width_) - 1};
  }
  // How many of the pods fit; -1 if they are not counted.
  int64_t Pods(int domain) const {
    return question_.counts ? values_[static_cast<size_t>(domain + 1) * width_ - 1] : -1;
  }

 private:
  int64_t PodsOn(NodeId node) const;
  int64_t SharersOn(NodeId node, int64_t want, int64_t whole) const;
  void MeasureLeaf(int leaf, std::vector<int64_t>& row) const;
  void Replace(int leaf);

  const Cluster& cluster_;
  const TopologyTree& tree_;
  const RoomQuestion question_;
  bool only_slots_ = false;
  int width_ = 0;                // Row width: the amounts and the pod count.
  std::vector<int64_t> values_;  // A row per domain.
  std::vector<char> stale_;      // By domain; only those of the lowest level.
  std::vector<int64_t> row_;
  bool measured_ = false;
  size_t seen_ = 0;  // Position in the log of charged nodes.
};

}  // namespace coppice::engine
