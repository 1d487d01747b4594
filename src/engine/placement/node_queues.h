#pragma once

#include <list>
#include <map>
#include <memory>
#include <utility>

#include "engine/placement/node_queue.h"
#include "engine/placement/node_scorer.h"
#include "engine/placement/predicates.h"
#include "engine/session.h"
#include "engine/topology/topology_tree.h"

namespace coppice::engine {

// A part of a topology, where it is tried as a whole; else `nodes` is null.
struct WholeDomain {
  const TopologyTree* tree = nullptr;
  int index = kNone;
  const NodeSet* nodes = nullptr;
};

// The node queues that outlive a task, so that the next of its class finds its nodes in order: for
// all nodes, for the set in use, and for the parts of a topology that were tried last.
class NodeQueues {
 public:
  NodeQueues(Session& session, Predicates* predicates, NodeScorer& scorer)
      : session_(session), cluster_(session.cluster), predicates_(predicates), scorer_(scorer) {}

  // The queue of the task's class for all nodes, or for the set that was begun last.
  NodeQueue& For(TaskId task, const NodeSet& nodes);

  // Another set than all nodes begins, of which nothing is known.
  void BeginSet() { ++set_; }
  // The same with a set, by rank, that likely differs little from the last one that was named here:
  // queues follow the difference.
  void BeginSetLike(const NodeSet& nodes);
  // The domain that sets are tried on from now on; returns the one before.
  WholeDomain EnterDomain(WholeDomain domain) { return std::exchange(domain_, domain); }
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
  Predicates* predicates_;
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
