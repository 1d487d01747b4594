#pragma once

#include <list>
#include <map>
#include <memory>
#include <utility>

#include "engine/filters/predicates.h"
#include "engine/placement/node_queue.h"
#include "engine/placement/node_scorer.h"
#include "engine/session/session.h"
#include "engine/state/topology_tree.h"

namespace coppice::engine {

// A topology domain, if it is tried as a whole; otherwise `nodes` is null.
struct WholeDomain {
  const TopologyTree* tree = nullptr;
  int index = kNone;
  const NodeSet* nodes = nullptr;
};

// Caches node queues, so that the next task of a class finds its nodes sorted: those for all nodes
// until the cycle ends, those for the current set until another set begins, and those for the most
// recently tried topology domains, whatever the current set is.
//
// Invariant: a returned queue ranks exactly the requested nodes, by the current rules and
// preferences. Code that changes either must call BeginSet, BeginSetLike, Domain or ForgetDomains.
// Lives for one cycle; not thread-safe.
class NodeQueues {
 public:
  NodeQueues(Session& session, NodeScorer& scorer)
      : session_(session), cluster_(session.cluster), scorer_(scorer) {}

  // Whether a queue can decide where the task fits: that must depend only on the task's class and
  // the node. Other tasks scan every node.
  bool CanServe(TaskId task, const NodeSet& nodes) const;
  // The queue of the task's class for all nodes, or for the set that was begun last.
  NodeQueue& For(TaskId task, const NodeSet& nodes);

  // Begins a set other than all nodes, about which nothing is known.
  void BeginSet() { ++set_; }
  // Begins a set (by rank) that likely differs little from the last set passed here; existing
  // queues are updated by the difference.
  void BeginSetLike(const NodeSet& nodes);
  // While it lives, sets are tried on this domain. Its construction and destruction begin a new
  // set.
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
  // Call when the rules changed for which the domains' queues were built.
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
  bool of_one_job_ = false;  // Some queues of the set follow the preferences of one job.
  NodeSet named_;            // The last set passed to BeginSetLike.
  uint64_t named_is_ = 0;
  WholeDomain domain_;
  std::list<OfDomain> of_domains_;  // Most recently used first.
};

}  // namespace coppice::engine
