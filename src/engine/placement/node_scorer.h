#pragma once

#include <optional>
#include <span>

#include "engine/session/session.h"
#include "engine/topology/topology_planner.h"

namespace coppice::engine {

// The plugins' scores of a node for a task (docs/behaviour/engine.md S-80 and S-81). Prepare scans
// the whole set of nodes once per task, because density is relative to it.
class NodeScorer {
 public:
  explicit NodeScorer(Session& session) : session_(session), cluster_(session.cluster) {}

  void Prepare(TaskId task, const NodeSet& nodes);
  // nullopt: the node is excluded.
  std::optional<double> Score(TaskId task, NodeId node) const;

  // The score in two parts that give the same order without scanning the whole set: for any set,
  // density only decides between nodes of one tier.
  std::optional<double> TierScore(TaskId task, NodeId node, bool with_topology = true) const;
  double DensityOrder(TaskId task, NodeId node) const;
  void PrepareClass(TaskId task);
  // Increases when the order of nodes may have changed for the prepared class, although the nodes
  // have not.
  uint32_t revision() const { return revision_; }
  // Whether the position in the topology affects the score.
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
  uint32_t scoring_ = 0;  // Bits of the plugins that score the prepared task.
};

}  // namespace coppice::engine
