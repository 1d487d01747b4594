#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/framework/session.h"
#include "engine/placement/node_scorer.h"
#include "engine/placement/predicates.h"

namespace coppice::engine {

// The nodes of a set that can take a task of one class, best first. Built once by looking at every
// node; afterwards only nodes that were charged since are looked at again, so that the next of
// many equal tasks costs no scan: O(nodes) to build, O(log nodes) for each node that changed, and
// nearly nothing while the best node stays the best. For classes whose fit depends on the node
// alone.
class NodeQueue {
 public:
  // Without topology what a job prefers does not count: where it likes all nodes of the set alike,
  // the queue serves other jobs, too.
  NodeQueue(Session& session, const NodeScorer& scorer, TaskId task, const NodeSet& nodes,
            bool with_topology = true);

  // kNone when no node can take the task.
  NodeId Best(TaskId task);
  // One node more or less in the set.
  void Include(NodeId node);
  void Exclude(NodeId node);
  // Whether so much has changed that a new one is cheaper.
  bool Behind() const {
    return cluster_.log().charged().size() - seen_ > kWorthReading * size_ || Outdated();
  }
  // Whether the scorer, prepared for the class, orders nodes as it did when they were put in order.
  bool Outdated() const { return revision_ != scorer_.revision(); }

  // Why nodes of the set refuse the class, with their number, as noted last. Known until a node or
  // the set changes.
  using Refusals = std::map<std::string, int>;
  const Refusals& refusals() const { return refusals_; }
  bool KnowsRefusals() const { return refusals_at_ == cluster_.log().charged().size(); }
  // `keep`: they hold for the next task of the class, too.
  void NoteRefusals(Refusals refusals, bool keep) {
    refusals_ = std::move(refusals);
    refusals_at_ = keep ? cluster_.log().charged().size() : kNever;
  }

 private:
  struct Entry {
    double tier;   // Sum of all scores but density.
    double order;  // Less is better within a tier.
    int32_t rank;
    NodeId node;
  };
  static constexpr int32_t kAbsent = -1, kForeign = -2;
  static constexpr size_t kWorthReading = 16, kNever = ~size_t{0};
  static bool Better(const Entry& a, const Entry& b);
  std::optional<Entry> Rate(TaskId task, NodeId node) const;
  void Look(TaskId task, NodeId node);
  void Put(size_t at, const Entry& entry);
  void Settle(size_t at, Entry entry);
  void Remove(size_t at);

  Session& session_;
  Cluster& cluster_;
  const Predicates* predicates_;
  const NodeScorer& scorer_;
  const bool with_topology_;
  const uint32_t revision_;      // Of the scorer, when this was built.
  const size_t size_;            // Of the set, as it was at first.
  std::vector<int32_t> places_;  // By node: where in the heap; kForeign: not in the set.
  std::vector<Entry> heap_;      // The best first.
  size_t seen_ = 0;              // Position in the log of charged nodes.
  std::vector<NodeId> unseen_;   // To be looked at again.
  std::vector<char> marked_;     // By node: zero between calls.
  Refusals refusals_;
  size_t refusals_at_ = kNever;  // Position in the log of charged nodes.
};

}  // namespace coppice::engine
