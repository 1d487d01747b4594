#pragma once

#include <span>
#include <vector>

#include "engine/state/cluster.h"
#include "engine/topology/topology_tree.h"

namespace coppice::engine {

// What a question about room is about: pods that ask for at most this much each.
struct RoomQuestion {
  Amounts largest;      // Element-wise maximum over the pods.
  bool counts = false;  // The pods are alike enough to be counted; else only amounts tell.
  int64_t pods = 0;     // Where they ask for nothing but a slot, all of them fit anywhere.

  friend bool operator==(const RoomQuestion&, const RoomQuestion&) = default;
};

// How much is free in every domain of a topology, and how many of the pods in question fit there.
// Kept from one question to the next: O(nodes) at first, then O(depth) for each domain of the
// lowest level with nodes that were charged since. Sums of integers, so that the way does not show.
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
  // How many of the pods fit; -1 where they are not counted.
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
  int width_ = 0;                // Of a row: the amounts, and the count of pods.
  std::vector<int64_t> values_;  // A row per domain.
  std::vector<char> stale_;      // By domain; only those of the lowest level.
  std::vector<int64_t> row_;
  bool measured_ = false;
  size_t seen_ = 0;  // Position in the log of charged nodes.
};

}  // namespace coppice::engine
