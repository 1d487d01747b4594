#include "engine/order/job_order.h"

#include <algorithm>

#include "engine/order/heap.h"
#include "engine/session/messages.h"

namespace coppice::engine {
JobOrder::JobOrder(Session& session, Options options) : session_(session), options_(options) {
  branches_.resize(session.cluster.queues().size());
}

JobOrder::~JobOrder() = default;

bool JobOrder::WithinDelay(const Gang& gang) {
  const Job& job = gang.job();
  JobRecord& record = session_.job(gang.id());
  const auto& delay = job.spec->preemption_delay;
  if (!delay || delay->count() <= 0) return false;
  const base::Time from = std::max(job.creation, job.last_eviction.value_or(job.creation));
  if (session_.now >= from + *delay) return false;
  if (!record.delay_reported) record.errors.Add(PreemptionDelayError(*delay, from + *delay));
  record.delay_reported = true;
  return true;
}

bool JobOrder::Admits(const Gang& gang) {
  const Job& job = gang.job();
  if (options_.only_pending && (job.held || !gang.HasPending())) return false;
  if (options_.only_ready && !gang.Ready()) return false;
  if (options_.only_preemptible && !job.preemptible) return false;
  if (options_.only_active && !gang.HasActive()) return false;
  if (job.queue == kNone || !session_.cluster.queues()[job.queue].leaf()) return false;
  return !options_.outside_preemption_delay || !WithinDelay(gang);
}

void JobOrder::AddAll() {
  for (JobId id : session_.cluster.job_order()) {
    Gang gang(session_.cluster, id);
    if (Admits(gang)) Push(std::move(gang));
  }
}

const JobRank& JobOrder::FreshRank(const Entry& entry) const {
  const uint32_t version = session_.cluster.jobs().version(entry.gang.id());
  if (entry.version != version) {
    entry.key = KeyOf(entry.gang);
    entry.version = version;
  }
  return entry.key;
}

bool JobOrder::EntryLess(const Entry& l, const Entry& r) const {
  const bool less = InOrder(session_.plugins.job_orders, FreshRank(l), FreshRank(r));
  return options_.victims ? !less : less;
}

void JobOrder::Use(const JobLists::Lists& lists, Allowed allowed) {
  allowed_ = std::move(allowed);
  for (QueueId queue = 0; queue < static_cast<QueueId>(lists.size()); ++queue) {
    if (lists[queue].empty()) continue;
    Branch& leaf = BranchOf(queue);
    leaf.list = &lists[queue];
    if (!ListTop(leaf)) continue;
    Link(leaf);
    for (Branch* at = &leaf; at != &root_; at = at->parent) at->dirty = true;
  }
}

void JobOrder::Retire(QueueId queue) {
  Branch* branch = branches_[queue].get();
  if (!branch || !branch->linked || !branch->children.empty()) return;
  // A branch is compared by its best leaf, so it must not lose one while it is in a heap with
  // others.
  for (const Branch* at = branch->parent; at != &root_; at = at->parent) {
    if (at->parent->children.size() > 1) return;
  }
  auto& siblings = branch->parent->children;
  if (siblings.size() == 1) return;
  const size_t at = std::find(siblings.begin(), siblings.end(), branch) - siblings.begin();
  std::swap(siblings[at], siblings.back());
  siblings.pop_back();
  branch->linked = false;
  if (at == siblings.size()) return;
  HeapDown(siblings, at, siblings.size(), BranchOrder());
  HeapUp(siblings, at, BranchOrder());
}

const ListedJob* JobOrder::ListTop(const Branch& branch) const {
  if (!branch.list) return nullptr;
  const auto& list = *branch.list;
  for (; branch.next < list.size(); ++branch.next) {
    const ListedJob& job =
        options_.victims ? list[list.size() - 1 - branch.next] : list[branch.next];
    if ((*allowed_)[job.job]) return &job;
  }
  return nullptr;
}

const ListedJob* JobOrder::ListFirst(const Branch& branch) const {
  const ListedJob* listed = ListTop(branch);
  if (!listed || branch.jobs.empty()) return listed;
  const bool before =
      InOrder(session_.plugins.job_orders, listed->key, FreshRank(*branch.jobs.front()));
  return before != options_.victims ? listed : nullptr;
}

bool JobOrder::Empty(const Branch& branch) const {
  return branch.children.empty() && branch.jobs.empty() && !ListTop(branch);
}

const JobOrder::Branch& JobOrder::BestLeaf(const Branch& branch) const {
  const Branch* at = &branch;
  while (!at->children.empty()) at = at->children.front();
  return *at;
}

bool JobOrder::BranchLess(const Branch& l, const Branch& r) const {
  const bool l_empty = Empty(l), r_empty = Empty(r);
  if (l_empty || r_empty) return options_.victims ? !l_empty : l_empty;
  const Branch& left = BestLeaf(l);
  const Branch& right = BestLeaf(r);
  int order;
  if (session_.plugins.queue_order) {
    const ListedJob* ll = ListFirst(left);
    const ListedJob* rl = ListFirst(right);
    if (options_.victims) {
      Sums vl = left.popped, vr = right.popped;
      vl.Add(ll ? ll->allocated : left.jobs.front()->allocated, +1);
      vr.Add(rl ? rl->allocated : right.jobs.front()->allocated, +1);
      order = session_.shares.Compare(l.queue, r.queue, {}, {}, vl, vr);
    } else {
      order =
          session_.shares.Compare(l.queue, r.queue, ll ? ll->request : left.jobs.front()->request,
                                  rl ? rl->request : right.jobs.front()->request, {}, {});
    }
  } else {
    const Queue& lq = session_.cluster.queues()[l.queue];
    const Queue& rq = session_.cluster.queues()[r.queue];
    order = std::tie(lq.creation, lq.name_rank) < std::tie(rq.creation, rq.name_rank) ? -1 : 1;
  }
  return options_.victims ? order >= 0 : order < 0;
}

JobOrder::Branch& JobOrder::BranchOf(QueueId queue) {
  if (!branches_[queue]) {
    branches_[queue] = std::make_unique<Branch>();
    branches_[queue]->queue = queue;
    const QueueId parent = session_.cluster.queues()[queue].parent;
    branches_[queue]->parent = parent == kNone ? &root_ : &BranchOf(parent);
  }
  return *branches_[queue];
}

// Adds a non-empty branch and its ancestors to the heaps above.
void JobOrder::Link(Branch& branch) {
  for (Branch* at = &branch; at != &root_ && !at->linked; at = at->parent) {
    at->linked = true;
    HeapPush(at->parent->children, at, BranchOrder());
  }
}

JobOrder::Entry& JobOrder::NewEntry(Gang gang) {
  const JobRank key = KeyOf(gang);
  const uint32_t version = session_.cluster.jobs().version(gang.id());
  Entry entry{std::move(gang), {}, {}, key, version};
  if (options_.victims) {
    entry.allocated = entry.gang.AllocatedRequest();
  } else {
    entry.request = entry.gang.InitialRequest(false);
  }
  if (left_.empty()) return entries_.emplace_back(std::move(entry));
  Entry& again = *left_.back();
  left_.pop_back();
  return again = std::move(entry);
}

void JobOrder::Push(Gang gang) {
  Branch& leaf = BranchOf(gang.job().queue);
  Entry& entry = NewEntry(std::move(gang));
  HeapPush(leaf.jobs, &entry, EntryOrder());
  if (options_.depth >= 0 && static_cast<int>(leaf.jobs.size()) > options_.depth) DropOne(leaf);
  if (options_.victims && entry.gang.partial() && !Keeps(Quirk::kPoppedVictims)) {
    leaf.popped.Add(entry.allocated, -1);
  }
  if (leaf.jobs.empty()) return;
  Link(leaf);
  for (Branch* at = &leaf; at != &root_; at = at->parent) at->dirty = true;
}

// Drops the worst job; upstream drops whatever is in the last slot.
void JobOrder::DropOne(Branch& leaf) {
  size_t at = leaf.jobs.size() - 1;
  if (!Keeps(Quirk::kQueueDepthSlot)) {
    at = std::max_element(leaf.jobs.begin(), leaf.jobs.end(), EntryOrder()) - leaf.jobs.begin();
  }
  std::swap(leaf.jobs[at], leaf.jobs.back());
  leaf.jobs.pop_back();
  if (at < leaf.jobs.size()) HeapUp(leaf.jobs, at, EntryOrder());
}

JobOrder::Branch& JobOrder::CleanTop(Branch& branch) {
  if (!Keeps(Quirk::kLazyQueueOrder)) {
    auto& all = branch.children;
    for (size_t at = all.size() / 2; at-- > 0;) HeapDown(all, at, all.size(), BranchOrder());
    for (Branch* child : all) child->dirty = false;
  }
  while (branch.children.front()->dirty) {
    Branch* top = branch.children.front();
    HeapDown(branch.children, 0, branch.children.size(), BranchOrder());
    top->dirty = false;
  }
  return *branch.children.front();
}

Gang JobOrder::Pop() {
  Branch* at = &root_;
  while (!at->children.empty()) at = &CleanTop(*at);
  Gang gang(session_.cluster, kNone);
  if (const ListedJob* listed = ListFirst(*at)) {
    gang = Gang(session_.cluster, listed->job);
    at->popped.Add(listed->allocated, +1);
    ++at->next;
  } else {
    Entry& entry = *HeapPop(at->jobs, EntryOrder());
    gang = std::move(entry.gang);
    at->popped.Add(entry.allocated, +1);
    left_.push_back(&entry);
  }
  bool emptied = Empty(*at);
  for (; at != &root_; at = at->parent) {
    if (emptied) {
      at->linked = false;
      at->dirty = false;
      HeapPop(at->parent->children, BranchOrder());
      emptied = at->parent->children.empty();
    } else {
      at->dirty = true;
    }
  }
  return gang;
}

}  // namespace coppice::engine
