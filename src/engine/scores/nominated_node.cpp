#include "engine/scores/nominated_node.h"

namespace coppice::engine {
namespace {

constexpr double kNominatedNode = 1e7;

}  // namespace

double NominatedNode::Score(TaskId task, NodeId node) const {
  const Cluster& cluster = session_.cluster;
  const bool named =
      cluster.tasks()[task].extras->nominated_node == cluster.Text(cluster.nodes()[node].name);
  return named ? kNominatedNode : 0;
}

}  // namespace coppice::engine
