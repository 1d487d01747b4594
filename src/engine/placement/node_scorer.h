#pragma once

#include <optional>
#include <span>

#include "engine/framework/session.h"
#include "engine/topology/topology_planner.h"

namespace coppice::engine {

// How much each plugin likes a node for a task (docs/behaviour/engine.md S-80 and S-81). Prepare
// looks at the whole set of nodes once per task, as density is relative to it.
class NodeScorer {
 public:
  explicit NodeScorer(Session& session) : session_(session), cluster_(session.cluster) {}

  void Prepare(TaskId task, const NodeSet& nodes);
  // nullopt: the node is out of the question.
  std::optional<double> Score(TaskId task, NodeId node) const;

  // The same in two parts that order nodes alike without looking at the whole set: whatever the
  // set, density decides only between nodes of one tier.
  std::optional<double> TierScore(TaskId task, NodeId node, bool with_topology = true) const;
  double DensityOrder(TaskId task, NodeId node) const;
  void PrepareClass(TaskId task);
  // Grows when the order of nodes of the class that was prepared may have changed though they have
  // not.
  uint32_t revision() const { return revision_; }
  // Whether nodes are liked for where in the topology they are.
  bool ScoresTopology() const {
    return session_.topology && session_.plugins.topology_scores && session_.topology->Scoring();
  }

 private:
  template <size_t kIndex>
  double ScoreOf(TaskId task, NodeId node, uint32_t scoring) const;
  int64_t Free(NodeId node) const;
  double PlacementScore(TaskId task, NodeId node) const;

  Session& session_;
  Cluster& cluster_;
  Placement placement_ = Placement::kNone;
  int resource_ = kGpu;
  int64_t min_free_ = 0;
  int64_t max_free_ = 0;
  bool any_ = false;
  uint32_t revision_ = 0;
  uint32_t scoring_ = 0;  // Bits of the cycle's plugins that score the task which was prepared.
};

}  // namespace coppice::engine
