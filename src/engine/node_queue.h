#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/node_scorer.h"
#include "engine/predicates.h"
#include "engine/session.h"

namespace coppice::engine {

// The nodes of a set that can take a task of one class, best first. Built once by looking at every
// node; afterwards only nodes that were charged since are looked at again, so that the next of
// many equal tasks costs no scan. For classes whose fit depends on the node alone.
class NodeQueue {
 public:
  NodeQueue(Session& session, Predicates* predicates, const NodeScorer& scorer, TaskId task,
            const NodeSet& nodes);

  // kNone when no node can take the task.
  NodeId Best(TaskId task);

  // Why nodes refuse the class, with their number; kept until a node changes.
  struct Refusals {
    std::map<std::string, int> reasons;
    size_t at = ~size_t{0};
  };
  Refusals refusals;

 private:
  struct Entry {
    double tier;   // Sum of all scores but density.
    double order;  // Less is better within a tier.
    int32_t rank;
    NodeId node;
    uint32_t stamp;
  };
  static bool Worse(const Entry& a, const Entry& b);
  void Look(TaskId task, NodeId node);

  Session& session_;
  Cluster& cluster_;
  Predicates* predicates_;
  const NodeScorer& scorer_;
  std::vector<uint32_t> stamps_;  // By node; 0: not in the set.
  std::vector<Entry> heap_;
  size_t seen_ = 0;  // Position in the log of charged nodes.
};

}  // namespace coppice::engine
