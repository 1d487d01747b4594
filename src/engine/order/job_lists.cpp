#include "engine/order/job_lists.h"

#include <algorithm>

namespace coppice::engine {
namespace {
constexpr size_t kFew = 16;
}  // namespace

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
    const auto known = std::find_if(list.begin(), list.end(),
                                    [&](const ListedJob& listed) { return listed.job == id; });
    if (known != list.end()) list.erase(known);
    const auto at = std::upper_bound(list.begin(), list.end(), item,
                                     [&](const ListedJob& l, const ListedJob& r) {
                                       return InOrder(session.plugins.job_orders, l.key, r.key);
                                     });
    if (belongs) list.insert(at, item);
  };
  put(pending_[session.cluster.jobs()[id].queue], pending);
  put(active_[session.cluster.jobs()[id].queue], active);
}

void JobLists::Rebuild(const Session& session) {
  const Cluster& cluster = session.cluster;
  for (auto* lists : {&pending_, &active_}) {
    lists->assign(cluster.queues().size(), {});
  }
  for (JobId id : cluster.job_order()) {
    if (!Takes(cluster, id)) continue;
    seen_[id] = cluster.jobs().version(id);
    bool pending = false, active = false;
    const ListedJob item = Describe(session, id, pending, active);
    const QueueId queue = cluster.jobs()[id].queue;
    if (pending) pending_[queue].push_back(item);
    if (active) active_[queue].push_back(item);
  }
  for (auto* lists : {&pending_, &active_}) {
    for (auto& list : *lists) {
      std::sort(list.begin(), list.end(), [&](const ListedJob& l, const ListedJob& r) {
        return InOrder(session.plugins.job_orders, l.key, r.key);
      });
    }
  }
}

bool JobLists::Takes(const Cluster& cluster, JobId id) {
  const Job& job = cluster.jobs()[id];
  return job.exists && job.queue != kNone && cluster.queues()[job.queue].leaf();
}

void JobLists::Refresh(const Session& session) {
  const Cluster& cluster = session.cluster;
  const bool first = pending_.empty();
  seen_.resize(cluster.jobs().size());
  std::vector<JobId> changed;
  for (; !first && moves_ < cluster.log().moved().size(); ++moves_) {
    const JobId id = cluster.log().moved()[moves_];
    if (seen_[id] == cluster.jobs().version(id) || !Takes(cluster, id)) continue;
    seen_[id] = cluster.jobs().version(id);
    changed.push_back(id);
  }
  moves_ = cluster.log().moved().size();
  // Inserting one job moves half a list on average; for many jobs, sorting is faster.
  if (first || changed.size() > kFew) return Rebuild(session);
  for (JobId id : changed) Update(session, id);
}

}  // namespace coppice::engine
