#include "engine/topology/domain_rooms.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace coppice::engine {

DomainRooms::DomainRooms(const Cluster& cluster, const TopologyTree& tree, RoomQuestion question)
    : cluster_(cluster),
      tree_(tree),
      question_(std::move(question)),
      width_(cluster.amounts().stride() + 1),
      values_(tree.domains().size() * static_cast<size_t>(width_)),
      stale_(tree.domains().size()),
      row_(static_cast<size_t>(width_)) {
  const Amounts& wanted = question_.largest;
  only_slots_ = At(wanted, kPods) <= 1;
  for (int i = 0; i < static_cast<int>(wanted.size()); ++i) {
    only_slots_ &= i == kPods || wanted[i] == 0;
  }
}

int64_t DomainRooms::PodsOn(NodeId node) const {
  if (only_slots_) return question_.pods;
  const Amounts& wanted = question_.largest;
  auto idle = cluster_.amounts().idle(node), releasing = cluster_.amounts().releasing(node);
  int64_t pods = std::numeric_limits<int64_t>::max();
  for (int i = 0; i < width_ - 1; ++i) {
    const bool by_claims = i != kGpu && cluster_.devices().Serves(i);
    if (by_claims) continue;
    const int64_t want = At(wanted, i), available = idle[i] + releasing[i];
    if (i == kGpu && want > 0 && want < kGpuUnit) {
      pods = std::min(pods, SharersOn(node, want, available));
    } else if (want > available) {
      return 0;  // An overcommitted node fits no pod, whichever resource is short.
    } else if (want > 0) {
      pods = std::min(pods, available / want);
    }
  }
  return pods;
}

// In floating point, as in upstream: with 0.2 GPUs each, two fit into 0.6.
int64_t DomainRooms::SharersOn(NodeId node, int64_t want, int64_t whole) const {
  const double available = InDevices(whole) + cluster_.nodes().SharedGpusFree(node),
               each = InDevices(want);
  return each > available ? 0 : static_cast<int64_t>(available / each);
}

void DomainRooms::MeasureLeaf(int leaf, std::vector<int64_t>& row) const {
  std::fill(row.begin(), row.end(), 0);
  for (NodeId node : tree_[leaf].nodes) {
    auto idle = cluster_.amounts().idle(node), releasing = cluster_.amounts().releasing(node);
    for (int i = 0; i < width_ - 1; ++i) row[i] += idle[i] + releasing[i];
    if (question_.counts) row[width_ - 1] += PodsOn(node);
  }
}

void DomainRooms::Replace(int leaf) {
  MeasureLeaf(leaf, row_);
  const int64_t* before = values_.data() + static_cast<size_t>(leaf) * width_;
  for (int i = 0; i < width_; ++i) row_[i] -= before[i];
  for (int at = leaf; at != kNone; at = tree_[at].parent) {
    int64_t* values = values_.data() + static_cast<size_t>(at) * width_;
    for (int i = 0; i < width_; ++i) values[i] += row_[i];
  }
}

void DomainRooms::Refresh() {
  const size_t end = cluster_.log().charged().size();
  std::vector<int> leaves;
  for (; measured_ && seen_ < end; ++seen_) {
    const int leaf = tree_.LeafOf(cluster_.log().charged()[seen_]);
    if (leaf == kNone || std::exchange(stale_[leaf], 1)) continue;
    leaves.push_back(leaf);
  }
  if (!measured_) {
    for (int i = 0; i < static_cast<int>(tree_.domains().size()); ++i) {
      if (tree_[i].level == tree_.levels() - 1) leaves.push_back(i);
    }
  }
  for (int leaf : leaves) {
    stale_[leaf] = 0;
    Replace(leaf);
  }
  measured_ = true;
  seen_ = end;
}

}  // namespace coppice::engine
