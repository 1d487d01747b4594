#include "engine/job_lists.h"

#include <algorithm>

namespace coppice::engine {
namespace {
constexpr size_t kFew = 16;
}  // namespace

int GangState(const Gang& gang) {
  bool above = false;
  for (int i = 0; i < static_cast<int>(gang.job().pod_sets.size()); ++i) {
    const int active = gang.Active(i), min = gang.Min(i);
    if (active < min) return 0;
    above |= active > min;
  }
  return above ? 2 : 1;
}

JobRank KeyOf(const Gang& gang) {
  const Job& job = gang.job();
  return {job.priority, job.creation, job.id_rank, GangState(gang)};
}

bool InOrder(const Plugins& plugins, const JobRank& l, const JobRank& r) {
  for (const auto order : plugins.job_order) {
    if (order == Plugins::JobOrder::kPriority) {
      if (l.priority != r.priority) return l.priority > r.priority;
    } else if (l.state != r.state) {
      return l.state < r.state;
    }
  }
  if (l.creation != r.creation) return l.creation < r.creation;
  return l.rank < r.rank;
}

ListedJob JobLists::Describe(const Session& session, JobId id, bool& pending, bool& active) {
  const Gang gang(session.cluster, id);
  const Job& job = gang.job();
  pending = gang.HasPending();
  active = gang.HasActive() && job.preemptible;
  ListedJob item{id, KeyOf(gang), {}, {}};
  if (pending) item.request = gang.InitialRequest(false);
  if (active) item.allocated = gang.AllocatedRequest();
  return item;
}

void JobLists::Update(const Session& session, JobId id) {
  bool pending = false, active = false;
  const ListedJob item = Describe(session, id, pending, active);
  const auto put = [&](std::vector<ListedJob>& list, bool belongs) {
    std::erase_if(list, [&](const ListedJob& known) { return known.job == id; });
    const auto at = std::upper_bound(list.begin(), list.end(), item,
                                     [&](const ListedJob& l, const ListedJob& r) {
                                       return InOrder(session.plugins, l.key, r.key);
                                     });
    if (belongs) list.insert(at, item);
  };
  put(pending_[session.cluster.jobs[id].queue], pending);
  put(active_[session.cluster.jobs[id].queue], active);
}

void JobLists::Rebuild(const Session& session, const std::vector<JobId>& jobs) {
  for (auto* lists : {&pending_, &active_}) {
    lists->assign(session.cluster.queues.size(), {});
  }
  for (JobId id : jobs) {
    bool pending = false, active = false;
    const ListedJob item = Describe(session, id, pending, active);
    const QueueId queue = session.cluster.jobs[id].queue;
    if (pending) pending_[queue].push_back(item);
    if (active) active_[queue].push_back(item);
  }
  for (auto* lists : {&pending_, &active_}) {
    for (auto& list : *lists) {
      std::sort(list.begin(), list.end(), [&](const ListedJob& l, const ListedJob& r) {
        return InOrder(session.plugins, l.key, r.key);
      });
    }
  }
}

void JobLists::Refresh(const Session& session) {
  const Cluster& cluster = session.cluster;
  // No pod changes without a charge to its node.
  if (charges_ == cluster.charged.size()) return;
  charges_ = cluster.charged.size();
  seen_.resize(cluster.jobs.size());
  std::vector<JobId> all, changed;
  for (JobId id : cluster.job_order) {
    const Job& job = cluster.jobs[id];
    if (job.queue == kNone || !cluster.queues[job.queue].leaf()) continue;
    all.push_back(id);
    const uint64_t version = cluster.job_versions[id] + uint64_t{1};
    if (seen_[id] != version) changed.push_back(id);
    seen_[id] = version;
  }
  // Putting one job in its place moves half a list; many are sorted faster together.
  if (pending_.empty() || changed.size() > kFew) return Rebuild(session, all);
  for (JobId id : changed) Update(session, id);
}

}  // namespace coppice::engine
