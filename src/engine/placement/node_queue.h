#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/filters/predicates.h"
#include "engine/placement/node_scorer.h"
#include "engine/session/session.h"

namespace coppice::engine {

// The nodes of a set that fit a task of one class, best first. Building it visits every node;
// afterwards only nodes that were charged since are visited again, so that the next of many equal
// tasks needs no scan: O(nodes) to build, O(log nodes) per changed node, and almost nothing while
// the best node stays the best. Only for classes whose fit depends on the node alone.
class NodeQueue {
 public:
  // Without topology, a job's topology preferences are ignored: if the job prefers all nodes of the
  // set equally, the queue can serve other jobs too.
  NodeQueue(Session& session, const NodeScorer& scorer, TaskId task, const NodeSet& nodes,
            bool with_topology = true);

  // kNone if no node fits the task.
  NodeId Best(TaskId task);
  // Adds a node to the set or removes it.
  void Include(NodeId node);
  void Exclude(NodeId node);
  // Whether so much changed that building a new queue is cheaper.
  bool Behind() const {
    return cluster_.log().charged().size() - seen_ > kWorthReading * size_ || Outdated();
  }
  // Whether the scorer, prepared for the class, no longer orders nodes as it did when the queue was
  // built.
  bool Outdated() const { return revision_ != scorer_.revision(); }

  // Why nodes of the set reject the class, with the number of nodes, as last recorded. Valid until
  // a node or the set changes.
  using Refusals = std::map<std::string, int>;
  const Refusals& refusals() const { return refusals_; }
  bool KnowsRefusals() const { return refusals_at_ == cluster_.log().charged().size(); }
  // `keep`: they also apply to the next task of the class.
  void NoteRefusals(Refusals refusals, bool keep) {
    refusals_ = std::move(refusals);
    refusals_at_ = keep ? cluster_.log().charged().size() : kNever;
  }

 private:
  struct Entry {
    double tier;   // Sum of all scores except density.
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
  const uint32_t revision_;      // Of the scorer, when the queue was built.
  const size_t size_;            // Initial size of the set.
  std::vector<int32_t> places_;  // By node: index in the heap; kForeign: not in the set.
  std::vector<Entry> heap_;      // Best first.
  size_t seen_ = 0;              // Position in the log of charged nodes.
  std::vector<NodeId> unseen_;   // To visit again.
  std::vector<char> marked_;     // By node: zero between calls.
  Refusals refusals_;
  size_t refusals_at_ = kNever;  // Position in the log of charged nodes.
};

}  // namespace coppice::engine
