#pragma once

#include <list>
#include <map>
#include <memory>
#include <utility>

#include "engine/framework/session.h"
#include "engine/placement/node_queue.h"
#include "engine/placement/node_scorer.h"
#include "engine/placement/predicates.h"
#include "engine/topology/topology_tree.h"

namespace coppice::engine {

// A part of a topology, where it is tried as a whole; else `nodes` is null.
struct WholeDomain {
  const TopologyTree* tree = nullptr;
  int index = kNone;
  const NodeSet* nodes = nullptr;
};

// Which node queues are kept, so that the next task of a class finds its nodes in order: those for
// all nodes until the cycle ends, those for the set in use until another set begins, and those for
// the parts of a topology that were tried last, whatever set is in use.
//
// Invariant: a queue that is handed out ranks exactly the nodes that were asked for, by the rules
// and preferences that hold now. Whoever changes one of the two says so: BeginSet, BeginSetLike,
// Domain, ForgetDomains. One cycle long; not thread-safe.
class NodeQueues {
 public:
  NodeQueues(Session& session, NodeScorer& scorer)
      : session_(session), cluster_(session.cluster), scorer_(scorer) {}

  // Whether a queue can tell where the task fits: it must depend on the task's class and the node
  // alone. Other tasks look at every node.
  bool CanServe(TaskId task, const NodeSet& nodes) const;
  // The queue of the task's class for all nodes, or for the set that was begun last.
  NodeQueue& For(TaskId task, const NodeSet& nodes);

  // Another set than all nodes begins, of which nothing is known.
  void BeginSet() { ++set_; }
  // The same with a set, by rank, that likely differs little from the last one that was named here:
  // queues follow the difference.
  void BeginSetLike(const NodeSet& nodes);
  // While it lives, sets are tried on this domain; it begins a set, and so does what comes after.
  class Domain {
   public:
    Domain(NodeQueues& queues, WholeDomain domain)
        : queues_(queues), around_(std::exchange(queues.domain_, domain)) {
      queues_.BeginSet();
    }
    ~Domain() {
      queues_.domain_ = around_;
      queues_.BeginSet();
    }
    Domain(const Domain&) = delete;
    Domain& operator=(const Domain&) = delete;

   private:
    NodeQueues& queues_;
    WholeDomain around_;
  };
  // The rules have changed for which domains' queues were made.
  void ForgetDomains() { of_domains_.clear(); }

 private:
  struct OfDomain {
    const NodeSet* nodes;
    ClassId cls;
    std::unique_ptr<NodeQueue> queue;
  };
  using ByClass = std::map<ClassId, std::unique_ptr<NodeQueue>>;

  void FollowTo(const NodeSet& nodes);
  ByClass& OfSet();
  bool LikesDomainAlike(TaskId task, const NodeSet& nodes) const;
  NodeQueue& ForDomain(TaskId task, const NodeSet& nodes);

  Session& session_;
  Cluster& cluster_;
  NodeScorer& scorer_;
  ByClass of_all_;
  uint64_t set_ = 0;  // Counts sets.
  ByClass of_set_;
  uint64_t of_set_is_ = 0;
  bool of_one_job_ = false;  // Some queues of the set follow preferences of one job.
  NodeSet named_;            // As last named to BeginSetLike.
  uint64_t named_is_ = 0;
  WholeDomain domain_;
  std::list<OfDomain> of_domains_;  // Those used last, the latest first.
};

}  // namespace coppice::engine
