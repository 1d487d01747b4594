#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "engine/order/job_lists.h"
#include "engine/session/gang.h"
#include "engine/session/session.h"

namespace coppice::engine {

// Jobs in the order in which an action serves them: a tree of heaps that mirrors the queue tree
// (docs/behaviour/engine.md S-40). Positions are refreshed lazily and only at the top, which
// affects the order. That is why the heap operations are our own and not a library's.
class JobOrder {
 public:
  struct Options {
    bool only_pending = false;
    bool only_ready = false;
    bool only_preemptible = false;
    bool only_active = false;
    bool outside_preemption_delay = false;
    bool victims = false;  // Worst first.
    int depth = -1;        // Jobs per queue; -1: all.
  };

  JobOrder(Session& session, Options options);
  ~JobOrder();

  // All jobs of the cluster that pass the filters.
  void AddAll();
  bool Admits(const Gang& gang);
  void Push(Gang gang);
  // Adds jobs that are already sorted; `allowed` (by job) marks those that take part. Cheaper than
  // pushing each one; the lists must outlive this object.
  using Allowed = std::shared_ptr<const std::vector<char>>;
  void Use(const JobLists::Lists& lists, Allowed allowed);
  // Call when the rest of this queue is irrelevant. The queue is skipped from then on, unless that
  // could change the order of the other queues.
  void Retire(QueueId queue);
  bool empty() const { return root_.children.empty(); }
  Gang Pop();

 private:
  struct Entry {
    Gang gang;
    Quantities request;  // What it would allocate next.
    Sums allocated;      // What evicting it would free.
    // Cached for this version of the job.
    mutable JobRank key;
    mutable uint32_t version;
  };
  struct Branch {
    QueueId queue = kNone;
    Branch* parent = nullptr;
    bool dirty = false;
    std::vector<Branch*> children;  // A heap.
    std::vector<Entry*> jobs;       // A heap.
    const std::vector<ListedJob>* list = nullptr;
    mutable size_t next = 0;  // How many jobs of the list have been consumed.
    Sums popped;              // Allocated by victims popped from this leaf.
    bool linked = false;
  };

  Branch& BranchOf(QueueId queue);
  void Link(Branch& branch);
  bool BranchLess(const Branch& l, const Branch& r) const;
  bool EntryLess(const Entry& l, const Entry& r) const;
  auto EntryOrder() const {
    return [this](const Entry* l, const Entry* r) { return EntryLess(*l, *r); };
  }
  auto BranchOrder() const {
    return [this](const Branch* l, const Branch* r) { return BranchLess(*l, *r); };
  }
  const JobRank& FreshRank(const Entry& entry) const;
  Entry& NewEntry(Gang gang);
  void DropOne(Branch& leaf);
  bool Keeps(Quirk quirk) const { return session_.config.compatibility.Keeps(quirk); }
  // The next participating job in the branch's list; nullptr if there is none.
  const ListedJob* ListTop(const Branch& branch) const;
  // The same, if it comes before the top of the heap.
  const ListedJob* ListFirst(const Branch& branch) const;
  bool Empty(const Branch& branch) const;
  const Branch& BestLeaf(const Branch& branch) const;
  Branch& CleanTop(Branch& branch);
  bool WithinDelay(const Gang& gang);

  Session& session_;
  Options options_;
  Branch root_;
  Allowed allowed_;                                // Applies to lists.
  std::vector<std::unique_ptr<Branch>> branches_;  // By queue.
  std::deque<Entry> entries_;
  std::vector<Entry*> left_;  // Entries that were popped, for reuse.
};

}  // namespace coppice::engine
