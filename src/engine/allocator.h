#pragma once

#include <span>
#include <vector>

#include "engine/node_scorer.h"
#include "engine/predicates.h"
#include "engine/session.h"
#include "engine/statement.h"
#include "engine/topology_planner.h"

namespace coppice::engine {

// Places the tasks of a job, all that its gang needs next or none (spec 4.3).
class Allocator {
 public:
  Allocator(Session& session, Predicates* predicates)
      : session_(session), cluster_(session.cluster), predicates_(predicates), scorer_(session) {}

  // `real`: the placement may be committed; else it is a simulation, in which everything is
  // pipelined. Errors go to `errors` where given and are kept whatever comes of the attempt.
  bool AllocateJob(Statement& statement, const Gang& gang, const NodeSet& nodes, bool real,
                   JobErrors* errors);

 private:
  bool AllocateSet(const Gang& gang, int set, const NodeSet& nodes, std::span<const TaskId> tasks);
  bool AllocatePodSet(const Gang& gang, int pod_set, const NodeSet& nodes,
                      std::span<const TaskId> tasks);
  bool PlaceTasks(const Gang& gang, int pod_set, const NodeSet& nodes,
                  std::span<const TaskId> tasks);
  std::vector<NodeSet> Subsets(const Gang& gang, const SubGroupSet::Member& member,
                               std::span<const TaskId> tasks, const NodeSet& nodes);
  bool PlaceTask(TaskId task, const NodeSet& nodes);
  bool Prepare(TaskId task);
  bool FittingNode(TaskId task, NodeId node);
  bool PlaceOn(TaskId task, NodeId node);
  bool PlaceShared(TaskId task, NodeId node, std::vector<ZoneAmount> zones);
  void RecordShortage(TaskId task, NodeId node);
  void Record(TaskId task, const std::string& reason);
  std::string TaskText(TaskId task) const;
  NameId NewGroup();

  Session& session_;
  Cluster& cluster_;
  Predicates* predicates_;
  NodeScorer scorer_;
  Statement* statement_ = nullptr;
  bool real_ = false;
  JobErrors* errors_ = nullptr;
};

}  // namespace coppice::engine
