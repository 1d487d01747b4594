#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <string_view>
#include <vector>

#include "engine/state/queue.h"
#include "engine/state/values/input_problems.h"
#include "engine/state/values/names.h"

namespace coppice::engine {

// The queues as a tree. After Refresh, parents, children and roots match the specs; a queue is
// reachable exactly if all its ancestors exist and none is the queue itself; siblings are sorted by
// name; and a queue's ancestors are charged with everything it is charged with.
class QueueTree {
 public:
  explicit QueueTree(Names& names) : names_(names) {}

  void Put(const QueueSpec& spec);
  void Remove(QueueId queue);

  // kNone if there is none of that name.
  QueueId Find(std::string_view name) const;
  size_t size() const { return queues_.size(); }
  const Queue& operator[](QueueId id) const { return queues_[id]; }
  auto begin() const { return queues_.begin(); }
  auto end() const { return queues_.end(); }
  // Reachable top-level queues, by name.
  const std::vector<QueueId>& roots() const { return roots_; }

  // Relinks the queues if some came, went or changed. `flat`: root queues are dropped, and all
  // others become top-level (docs/behaviour/engine.md S-27).
  void Refresh(bool flat, InputProblems& problems);

  // The inputs and results of a queue's share computation; not part of the tree.
  QueueAmounts& amounts(QueueId id) { return queues_[id]; }
  // Adds to a queue and its ancestors, or subtracts.
  void Charge(QueueId queue, const Sums& amount, bool preemptible, int sign) {
    for (QueueId at = queue; at != kNone; at = queues_[at].parent) {
      queues_[at].allocated.Add(amount, sign);
      if (!preemptible) queues_[at].allocated_non_preemptible.Add(amount, sign);
    }
  }

 private:
  std::vector<QueueId> SortedByName() const;
  void FindReachable(const std::vector<QueueId>& by_name, InputProblems& problems);
  void Link(const std::vector<QueueId>& by_name, bool flat);

  Names& names_;
  std::vector<Queue> queues_;
  boost::unordered_flat_map<NameId, QueueId> ids_;
  std::vector<QueueId> roots_;
  bool changed_ = true;
};

}  // namespace coppice::engine
