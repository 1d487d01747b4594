#include "engine/node_queue.h"

#include <algorithm>

namespace coppice::engine {

NodeQueue::NodeQueue(Session& session, Predicates* predicates, const NodeScorer& scorer,
                     TaskId task, const NodeSet& nodes)
    : session_(session),
      cluster_(session.cluster),
      predicates_(predicates),
      scorer_(scorer),
      stamps_(session.cluster.nodes.size()),
      seen_(session.cluster.charged.size()) {
  heap_.reserve(nodes.size());
  for (NodeId node : nodes) {
    stamps_[node] = 1;
    Look(task, node);
  }
}

bool NodeQueue::Worse(const Entry& a, const Entry& b) {
  if (a.tier != b.tier) return a.tier < b.tier;
  if (a.order != b.order) return a.order > b.order;
  return a.rank > b.rank;
}

void NodeQueue::Look(TaskId task, NodeId node) {
  const uint32_t stamp = ++stamps_[node];
  if (!cluster_.FitsIdleOrReleasing(task, node)) return;
  if (predicates_ && predicates_->CheckNode(task, node)) return;
  const auto tier = scorer_.TierScore(task, node);
  if (!tier) return;
  heap_.push_back({*tier, scorer_.DensityOrder(node), cluster_.nodes[node].rank, node, stamp});
  std::push_heap(heap_.begin(), heap_.end(), Worse);
}

NodeId NodeQueue::Best(TaskId task) {
  for (; seen_ < cluster_.charged.size(); ++seen_) {
    const NodeId node = cluster_.charged[seen_];
    if (stamps_[node] > 0) Look(task, node);
  }
  while (!heap_.empty()) {
    const Entry& best = heap_.front();
    if (best.stamp == stamps_[best.node]) return best.node;
    std::pop_heap(heap_.begin(), heap_.end(), Worse);
    heap_.pop_back();
  }
  return kNone;
}

}  // namespace coppice::engine
