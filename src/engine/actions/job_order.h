#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "engine/actions/job_lists.h"
#include "engine/framework/session.h"
#include "engine/placement/gang.h"

namespace coppice::engine {

// Jobs in the order in which an action serves them: a tree of heaps that mirrors the queue tree
// (docs/behaviour/engine.md S-40). Positions are refreshed lazily, at the top only, and that shows
// in the order; the heap operations are therefore spelled out here and not left to a library.
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
  // Jobs that are in order already, of which those marked in `allowed` (by job) take part. Cheaper
  // than pushing each; the lists must outlive this.
  using Allowed = std::shared_ptr<const std::vector<char>>;
  void Use(const JobLists::Lists& lists, Allowed allowed);
  // Says that nothing in this queue matters any more. It is left out from then on where that
  // cannot change the order of the rest.
  void Retire(QueueId queue);
  bool empty() const { return root_.children.empty(); }
  Gang Pop();

 private:
  struct Entry {
    Gang gang;
    Quantities request;  // What it would allocate next.
    Sums allocated;      // What evicting it would give back.
    // As of a version of the job.
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
    mutable size_t next = 0;  // How many of the list are through.
    Sums popped;              // Of victims taken from this leaf.
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
  // The next of the branch's list that takes part; nullptr when there is none.
  const ListedJob* ListTop(const Branch& branch) const;
  // The same when it comes before the heap's top.
  const ListedJob* ListFirst(const Branch& branch) const;
  bool Empty(const Branch& branch) const;
  const Branch& BestLeaf(const Branch& branch) const;
  Branch& CleanTop(Branch& branch);
  bool WithinDelay(const Gang& gang);

  Session& session_;
  Options options_;
  Branch root_;
  Allowed allowed_;                                // For lists.
  std::vector<std::unique_ptr<Branch>> branches_;  // By queue.
  std::deque<Entry> entries_;
  std::vector<Entry*> left_;  // Entries that have left the heaps, to be used again.
};

}  // namespace coppice::engine
