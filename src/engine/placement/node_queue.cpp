#include "engine/placement/node_queue.h"

#include <algorithm>
#include <span>
#include <utility>

namespace coppice::engine {
namespace {

constexpr size_t kFewCharges = 4;

}  // namespace

NodeQueue::NodeQueue(Session& session, const NodeScorer& scorer, TaskId task, const NodeSet& nodes,
                     bool with_topology)
    : session_(session),
      cluster_(session.cluster),
      predicates_(session.predicates.get()),
      scorer_(scorer),
      with_topology_(with_topology),
      revision_(scorer.revision()),
      size_(nodes.size()),
      places_(session.cluster.nodes().size(), kForeign),
      seen_(session.cluster.log().charged().size()) {
  heap_.reserve(nodes.size());
  for (NodeId node : nodes) {
    places_[node] = kAbsent;
    if (const auto entry = Rate(task, node)) heap_.push_back(*entry);
  }
  // A sorted array is a heap, and initially equal nodes are already sorted.
  if (!std::is_sorted(heap_.begin(), heap_.end(), Better)) {
    std::sort(heap_.begin(), heap_.end(), Better);
  }
  for (size_t i = 0; i < heap_.size(); ++i) places_[heap_[i].node] = static_cast<int32_t>(i);
}

bool NodeQueue::Better(const Entry& a, const Entry& b) {
  if (a.tier != b.tier) return a.tier > b.tier;
  if (a.order != b.order) return a.order < b.order;
  return a.rank < b.rank;
}

std::optional<NodeQueue::Entry> NodeQueue::Rate(TaskId task, NodeId node) const {
  if (!cluster_.FitsIdleOrReleasing(task, node)) return std::nullopt;
  if (predicates_ && predicates_->CheckNode(task, node)) return std::nullopt;
  const auto tier = scorer_.TierScore(task, node, with_topology_);
  if (!tier) return std::nullopt;
  return Entry{*tier, scorer_.DensityOrder(task, node), cluster_.nodes()[node].rank, node};
}

void NodeQueue::Put(size_t at, const Entry& entry) {
  heap_[at] = entry;
  places_[entry.node] = static_cast<int32_t>(at);
}

// Sifts `entry` up or down from slot `at`.
void NodeQueue::Settle(size_t at, Entry entry) {
  for (size_t up = (at - 1) / 2; at > 0 && Better(entry, heap_[up]); up = (at - 1) / 2) {
    Put(at, heap_[up]);
    at = up;
  }
  for (size_t down = 2 * at + 1; down < heap_.size(); down = 2 * at + 1) {
    if (down + 1 < heap_.size() && Better(heap_[down + 1], heap_[down])) ++down;
    if (!Better(heap_[down], entry)) break;
    Put(at, heap_[down]);
    at = down;
  }
  Put(at, entry);
}

void NodeQueue::Remove(size_t at) {
  places_[heap_[at].node] = kAbsent;
  const Entry last = heap_.back();
  heap_.pop_back();
  if (at < heap_.size()) Settle(at, last);
}

void NodeQueue::Look(TaskId task, NodeId node) {
  const int32_t place = places_[node];
  const auto entry = Rate(task, node);
  if (!entry) {
    if (place != kAbsent) Remove(static_cast<size_t>(place));
    return;
  }
  if (place == kAbsent) heap_.emplace_back();
  Settle(place == kAbsent ? heap_.size() - 1 : static_cast<size_t>(place), *entry);
}

void NodeQueue::Include(NodeId node) {
  if (places_[node] != kForeign) return;
  places_[node] = kAbsent;
  refusals_at_ = kNever;
  unseen_.push_back(node);
}

void NodeQueue::Exclude(NodeId node) {
  if (places_[node] >= 0) Remove(static_cast<size_t>(places_[node]));
  places_[node] = kForeign;
  refusals_at_ = kNever;
}

NodeId NodeQueue::Best(TaskId task) {
  const std::span<const NodeId> charged = std::span(cluster_.log().charged()).subspan(seen_);
  seen_ += charged.size();
  if (unseen_.empty() && charged.size() < kFewCharges) {
    for (NodeId node : charged) {
      if (places_[node] != kForeign) Look(task, node);
    }
  } else {
    // A search charges the same nodes again and again; only their current state matters.
    marked_.resize(places_.size());
    for (NodeId node : charged) {
      if (!std::exchange(marked_[node], 1)) unseen_.push_back(node);
    }
    for (NodeId node : unseen_) {
      marked_[node] = 0;
      if (places_[node] != kForeign) Look(task, node);
    }
    unseen_.clear();
  }
  return heap_.empty() ? kNone : heap_.front().node;
}

}  // namespace coppice::engine
