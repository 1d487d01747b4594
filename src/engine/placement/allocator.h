#pragma once

#include <list>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "engine/placement/node_queue.h"
#include "engine/placement/node_scorer.h"
#include "engine/placement/predicates.h"
#include "engine/session.h"
#include "engine/statement.h"
#include "engine/topology/topology_planner.h"

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
  // Plans one task on one node, if it may be there.
  bool PlaceOne(Statement& statement, TaskId task, NodeId node);
  // Node queues are kept from one job to the next as long as the set of nodes stays the same. Call
  // whenever AllocateJob is about to be called with another set than all nodes.
  void NewNodeSet() { ++node_set_; }
  // The same for a set, by rank, that likely differs little from the last one that was named here:
  // node queues follow the difference.
  void NextNodeSet(const NodeSet& nodes);
  // From now on as if there were none of these rules, for sets of nodes that are new.
  void Ignore(PlacementRules rules) {
    if (predicates_) predicates_->Ignore(rules);
    NewNodeSet();
    domain_queues_.clear();
  }

  void SupposeLargerNodes(bool suppose) {
    if (predicates_) predicates_->SupposeLargerNodes(suppose);
    domain_queues_.clear();
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
  bool Plain(TaskId task, const NodeSet& nodes) const;
  NodeQueue& QueueFor(TaskId task, const NodeSet& nodes);
  bool WholeDomain(TaskId task, const NodeSet& nodes) const;
  NodeQueue& DomainQueueFor(TaskId task, const NodeSet& nodes);
  bool ScoresTopology() const;
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
  Statement* statement_ = nullptr;
  std::map<ClassId, std::unique_ptr<NodeQueue>> all_nodes_;
  std::map<ClassId, std::unique_ptr<NodeQueue>> some_nodes_;  // Of the set below.
  struct DomainQueue {
    const NodeSet* nodes;
    ClassId cls;
    std::unique_ptr<NodeQueue> queue;
  };
  std::list<DomainQueue> domain_queues_;  // Those used last, the latest first.
  // The part of the topology that a sub-group is tried on, where it is tried on all of it.
  struct {
    const TopologyTree* tree = nullptr;
    int index = kNone;
    const NodeSet* nodes = nullptr;
  } domain_;
  uint64_t node_set_ = 0;
  uint64_t some_nodes_set_ = 0;
  NodeSet next_nodes_;  // As last named to NextNodeSet.
  uint64_t next_nodes_set_ = 0;
  bool one_job_only_ = false;  // Some of these queues follow preferences of one job.
  bool real_ = false;
  JobErrors* errors_ = nullptr;
};

}  // namespace coppice::engine
