#include "engine/job_order.h"

#include <algorithm>

#include "engine/heap.h"
#include "engine/messages.h"

namespace coppice::engine {
namespace {

// 0: some pod set below its minimum, 1: all exactly there, 2: some above.
int GangState(const Gang& gang) {
  bool above = false;
  for (int i = 0; i < static_cast<int>(gang.job().pod_sets.size()); ++i) {
    const int active = gang.Active(i), min = gang.Min(i);
    if (active < min) return 0;
    above |= active > min;
  }
  return above ? 2 : 1;
}

}  // namespace

JobOrder::JobOrder(Session& session, Options options) : session_(session), options_(options) {
  branches_.resize(session.cluster.queues.size());
}

JobOrder::~JobOrder() = default;

bool JobOrder::JobLess(const Session& session, const Gang& l, const Gang& r) {
  for (const auto order : session.plugins.job_order) {
    if (order == Plugins::JobOrder::kPriority) {
      if (l.job().priority != r.job().priority) return l.job().priority > r.job().priority;
    } else {
      const int ls = GangState(l), rs = GangState(r);
      if (ls != rs) return ls < rs;
    }
  }
  if (l.job().creation != r.job().creation) return l.job().creation < r.job().creation;
  return l.job().id_rank < r.job().id_rank;
}

bool JobOrder::WithinDelay(const Gang& gang) {
  Job& job = session_.job(gang.id());
  const auto& delay = job.spec->preemption_delay;
  if (!delay || delay->count() <= 0) return false;
  const base::Time from = std::max(job.creation, job.last_eviction.value_or(job.creation));
  if (session_.now >= from + *delay) return false;
  if (!job.delay_reported) job.errors.errors.push_back(PreemptionDelayError(*delay, from + *delay));
  job.delay_reported = true;
  return true;
}

bool JobOrder::Admits(const Gang& gang) {
  const Job& job = gang.job();
  if (options_.only_ready && !gang.Ready()) return false;
  if (options_.only_pending && !gang.HasPending()) return false;
  if (options_.only_preemptible && !job.preemptible) return false;
  if (options_.only_active && !gang.HasActive()) return false;
  if (job.queue == kNone || !session_.cluster.queues[job.queue].leaf()) return false;
  return !options_.outside_preemption_delay || !WithinDelay(gang);
}

void JobOrder::AddAll() {
  for (JobId id : session_.cluster.job_order) {
    Gang gang(session_.cluster, id);
    if (Admits(gang)) Push(std::move(gang));
  }
}

void JobOrder::SortWorstFirst(const Session& session, std::vector<JobId>& jobs) {
  std::vector<Gang> gangs;
  for (JobId id : jobs) gangs.emplace_back(session.cluster, id);
  std::sort(gangs.begin(), gangs.end(),
            [&](const Gang& l, const Gang& r) { return JobLess(session, r, l); });
  for (size_t i = 0; i < jobs.size(); ++i) jobs[i] = gangs[i].id();
}

int JobOrder::StateOf(const Entry& entry) {
  const uint32_t version = entry.gang.job().version;
  if (entry.state < 0 || entry.version != version) {
    entry.state = static_cast<int8_t>(GangState(entry.gang));
    entry.version = version;
  }
  return entry.state;
}

bool JobOrder::InOrder(const Entry& l, const Entry& r) const {
  const Job& left = l.gang.job();
  const Job& right = r.gang.job();
  for (const auto order : session_.plugins.job_order) {
    if (order == Plugins::JobOrder::kPriority) {
      if (left.priority != right.priority) return left.priority > right.priority;
    } else {
      const int ls = StateOf(l), rs = StateOf(r);
      if (ls != rs) return ls < rs;
    }
  }
  if (left.creation != right.creation) return left.creation < right.creation;
  return left.id_rank < right.id_rank;
}

bool JobOrder::EntryLess(const Entry& l, const Entry& r) const {
  const bool less = InOrder(l, r);
  return options_.victims ? !less : less;
}

const JobOrder::Branch& JobOrder::BestLeaf(const Branch& branch) const {
  const Branch* at = &branch;
  while (!at->children.empty()) at = at->children.front();
  return *at;
}

bool JobOrder::BranchLess(const Branch& l, const Branch& r) const {
  const bool l_empty = l.children.empty() && l.jobs.empty();
  const bool r_empty = r.children.empty() && r.jobs.empty();
  if (l_empty || r_empty) return options_.victims ? !l_empty : l_empty;
  const Branch& left = BestLeaf(l);
  const Branch& right = BestLeaf(r);
  int order;
  if (session_.plugins.proportion) {
    if (options_.victims) {
      Sums vl = left.popped, vr = right.popped;
      vl.Add(left.jobs.front().allocated, +1);
      vr.Add(right.jobs.front().allocated, +1);
      order = session_.shares.Compare(l.queue, r.queue, {}, {}, vl, vr);
    } else {
      order = session_.shares.Compare(l.queue, r.queue, left.jobs.front().request,
                                      right.jobs.front().request, {}, {});
    }
  } else {
    const Queue& lq = session_.cluster.queues[l.queue];
    const Queue& rq = session_.cluster.queues[r.queue];
    order = std::tie(lq.creation, lq.name_rank) < std::tie(rq.creation, rq.name_rank) ? -1 : 1;
  }
  return options_.victims ? order >= 0 : order < 0;
}

JobOrder::Branch& JobOrder::BranchOf(QueueId queue) {
  if (!branches_[queue]) {
    branches_[queue] = std::make_unique<Branch>();
    branches_[queue]->queue = queue;
    const QueueId parent = session_.cluster.queues[queue].parent;
    branches_[queue]->parent = parent == kNone ? &root_ : &BranchOf(parent);
  }
  return *branches_[queue];
}

// Links a branch that has content, and its ancestors, into the heaps above.
void JobOrder::Link(Branch& branch) {
  for (Branch* at = &branch; at != &root_ && !at->linked; at = at->parent) {
    at->linked = true;
    HeapPush(at->parent->children, at,
             [&](Branch* l, Branch* r) { return BranchLess(*l, *r); });
  }
}

void JobOrder::Push(Gang gang) {
  Branch& leaf = BranchOf(gang.job().queue);
  Entry entry{std::move(gang), {}, {}};
  if (options_.victims) {
    entry.allocated = entry.gang.AllocatedRequest();
  } else {
    entry.request = entry.gang.InitialRequest(false);
  }
  HeapPush(leaf.jobs, std::move(entry),
           [&](const Entry& l, const Entry& r) { return EntryLess(l, r); });
  if (options_.depth >= 0 && static_cast<int>(leaf.jobs.size()) > options_.depth) {
    auto worst = std::max_element(leaf.jobs.begin(), leaf.jobs.end(), [&](auto& l, auto& r) {
      return EntryLess(l, r);
    });
    std::swap(*worst, leaf.jobs.back());
    const size_t at = worst - leaf.jobs.begin();
    leaf.jobs.pop_back();
    if (at < leaf.jobs.size()) {
      HeapUp(leaf.jobs, at, [&](const Entry& l, const Entry& r) { return EntryLess(l, r); });
    }
  }
  if (leaf.jobs.empty()) return;
  Link(leaf);
  for (Branch* at = &leaf; at != &root_; at = at->parent) at->dirty = true;
}

JobOrder::Branch& JobOrder::CleanTop(Branch& branch) {
  while (branch.children.front()->dirty) {
    Branch* top = branch.children.front();
    HeapDown(branch.children, 0, branch.children.size(),
             [&](Branch* l, Branch* r) { return BranchLess(*l, *r); });
    top->dirty = false;
  }
  return *branch.children.front();
}

Gang JobOrder::Pop() {
  Branch* at = &root_;
  while (!at->children.empty()) at = &CleanTop(*at);
  Entry entry = HeapPop(at->jobs, [&](const Entry& l, const Entry& r) { return EntryLess(l, r); });
  at->popped.Add(entry.allocated, +1);
  bool emptied = at->jobs.empty();
  for (; at != &root_; at = at->parent) {
    if (emptied) {
      at->linked = false;
      at->dirty = false;
      HeapPop(at->parent->children, [&](Branch* l, Branch* r) { return BranchLess(*l, *r); });
      emptied = at->parent->children.empty();
    } else {
      at->dirty = true;
    }
  }
  return std::move(entry.gang);
}

}  // namespace coppice::engine
