#include "engine/placement/node_queues.h"

#include <algorithm>

#include "engine/devices/device_planner.h"
#include "engine/topology/topology_planner.h"

namespace coppice::engine {
namespace {

// Each is as large as the cluster.
constexpr size_t kDomainQueuesKept = 16;

}  // namespace

bool NodeQueues::CanServe(TaskId id, const NodeSet& nodes) const {
  const Task& task = cluster_.tasks()[id];
  const PodClass& cls = cluster_.ClassOf(task);
  const bool special =
      task.extras && (!task.extras->claims.empty() || !task.extras->nominated_node.empty());
  // For MIG pods, nodes without whole GPUs also fit but have no density score.
  return !special && cls.gpu.mig.empty() && !cls.has_host_ports && !cluster_.affinity_in_use() &&
         cls.shape->volume_claims.empty() && !session_.numa &&
         !(session_.devices && session_.devices->Concerns(id)) &&
         // Queues over all nodes outlive the job and its topology preferences.
         !(scorer_.ScoresTopology() && &nodes == &cluster_.node_order());
}

NodeQueue& NodeQueues::For(TaskId task, const NodeSet& nodes) {
  scorer_.PrepareClass(task);
  if (LikesDomainAlike(task, nodes)) return ForDomain(task, nodes);
  const bool all = &nodes == &cluster_.node_order();
  auto& queue = (all ? of_all_ : OfSet())[cluster_.tasks()[task].cls];
  if (!queue || queue->Outdated()) {
    queue = std::make_unique<NodeQueue>(session_, scorer_, task, nodes);
  }
  if (!all) of_one_job_ |= scorer_.ScoresTopology();
  return *queue;
}

NodeQueues::ByClass& NodeQueues::OfSet() {
  if (of_set_is_ != set_) {
    of_set_.clear();
    of_set_is_ = set_;
    of_one_job_ = false;
  }
  return of_set_;
}

void NodeQueues::BeginSetLike(const NodeSet& nodes) {
  const bool known = set_ == of_set_is_ && set_ == named_is_ && !of_one_job_;
  if (known && nodes == named_) return;
  if (known) {
    FollowTo(nodes);
  } else {
    BeginSet();
    named_is_ = set_;
  }
  named_ = nodes;
}

void NodeQueues::FollowTo(const NodeSet& nodes) {
  const auto by_rank = [&](NodeId a, NodeId b) {
    return cluster_.nodes()[a].rank < cluster_.nodes()[b].rank;
  };
  NodeSet gone, added;
  std::set_difference(named_.begin(), named_.end(), nodes.begin(), nodes.end(),
                      std::back_inserter(gone), by_rank);
  std::set_difference(nodes.begin(), nodes.end(), named_.begin(), named_.end(),
                      std::back_inserter(added), by_rank);
  for (auto& [cls, queue] : of_set_) {
    for (NodeId node : gone) queue->Exclude(node);
    for (NodeId node : added) queue->Include(node);
  }
}

// Whether the nodes are a topology domain whose nodes the task all prefers equally.
bool NodeQueues::LikesDomainAlike(TaskId task, const NodeSet& nodes) const {
  return &nodes == domain_.nodes &&
         (!scorer_.ScoresTopology() ||
          session_.topology->LikesAlike(task, *domain_.tree, domain_.index));
}

NodeQueue& NodeQueues::ForDomain(TaskId task, const NodeSet& nodes) {
  const ClassId cls = cluster_.tasks()[task].cls;
  const auto found = std::find_if(
      of_domains_.begin(), of_domains_.end(),
      [&](const OfDomain& known) { return known.nodes == &nodes && known.cls == cls; });
  if (found != of_domains_.end() && !found->queue->Behind()) {
    of_domains_.splice(of_domains_.begin(), of_domains_, found);
    return *found->queue;
  }
  if (found != of_domains_.end()) {
    of_domains_.erase(found);
  } else if (of_domains_.size() == kDomainQueuesKept) {
    of_domains_.pop_back();
  }
  of_domains_.push_front(
      {&nodes, cls, std::make_unique<NodeQueue>(session_, scorer_, task, nodes, false)});
  return *of_domains_.front().queue;
}

}  // namespace coppice::engine
