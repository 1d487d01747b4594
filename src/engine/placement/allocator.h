#pragma once

#include <span>
#include <vector>

#include "engine/filters/predicates.h"
#include "engine/placement/node_queues.h"
#include "engine/placement/node_scorer.h"
#include "engine/placement/statement.h"
#include "engine/session/session.h"
#include "engine/topology/topology_planner.h"

namespace coppice::engine {

// Places the tasks of a job: everything that its gang needs next, or nothing
// (docs/behaviour/engine.md S-43).
class Allocator {
 public:
  explicit Allocator(Session& session)
      : session_(session),
        cluster_(session.cluster),
        predicates_(session.predicates.get()),
        scorer_(session),
        queues_(session, scorer_) {}
  Allocator(const Allocator&) = delete;
  Allocator& operator=(const Allocator&) = delete;

  // `real`: the placement may be committed. Otherwise it is a simulation, in which everything is
  // pipelined. Errors are added to `errors` if given, and kept whatever the outcome.
  bool AllocateJob(Statement& statement, const Gang& gang, const NodeSet& nodes, bool real,
                   JobErrors* errors);
  // Plans one task on one node, if it fits there.
  bool PlaceOne(Statement& statement, TaskId task, NodeId node);
  // Before calling AllocateJob with a set other than all nodes, begin that set here.
  NodeQueues& node_queues() { return queues_; }
  // Ignores these rules from now on, for new sets of nodes; see Predicates.
  void Ignore(PlacementRules rules, std::vector<bool> on = {}) {
    if (predicates_) predicates_->Ignore(rules, std::move(on));
    queues_.BeginSet();
    queues_.ForgetDomains();
  }

  const Predicates* predicates() const { return predicates_; }

  void SupposeLargerNodes(bool suppose) {
    if (predicates_) predicates_->SupposeLargerNodes(suppose);
    queues_.ForgetDomains();
  }

 private:
  bool AllocateSet(const Gang& gang, int set, const NodeSet& nodes, std::span<const TaskId> tasks);
  bool AllocatePodSet(const Gang& gang, int pod_set, const NodeSet& nodes,
                      std::span<const TaskId> tasks);
  bool PlaceTasks(const Gang& gang, int pod_set, const NodeSet& nodes,
                  std::span<const TaskId> tasks);
  template <typename Place>
  bool ForEachSubset(const Gang& gang, const SubGroupSet::Member& member,
                     std::span<const TaskId> tasks, const NodeSet& nodes, Place place);
  bool PlaceTask(TaskId task, const NodeSet& nodes);
  bool PlaceByScan(TaskId task, const NodeSet& nodes);
  bool PlaceByQueue(TaskId task, const NodeSet& nodes);
  void RecordRefusals(TaskId task, const NodeSet& nodes, NodeQueue& queue);
  bool Prepare(TaskId task);
  bool FittingNode(TaskId task, NodeId node);
  bool PlaceOn(TaskId task, NodeId node);
  bool PlaceShared(TaskId task, NodeId node, std::vector<ZoneAmount> zones);
  void RecordShortage(TaskId task, NodeId node);
  void Record(TaskId task, const std::string& reason);

  Session& session_;
  Cluster& cluster_;
  Predicates* predicates_;
  NodeScorer scorer_;
  NodeQueues queues_;
  Statement* statement_ = nullptr;
  bool real_ = false;
  JobErrors* errors_ = nullptr;
};

}  // namespace coppice::engine
