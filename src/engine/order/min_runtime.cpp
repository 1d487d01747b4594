#include "engine/order/min_runtime.h"

#include <algorithm>
#include <map>

namespace coppice::engine {

base::Duration MinRuntime::PreemptRuntime(QueueId victim) const {
  const auto& queues = session_.cluster.queues();
  for (QueueId at = victim; at != kNone; at = queues[at].parent) {
    if (queues[at].spec->preempt_min_runtime) return *queues[at].spec->preempt_min_runtime;
  }
  return session_.plugins.preempt_min_runtime;
}

base::Duration MinRuntime::ReclaimRuntime(QueueId reclaimer, QueueId victim) const {
  auto [known, added] = reclaim_runtimes_.try_emplace({reclaimer, victim});
  if (added) known->second = FindReclaimRuntime(reclaimer, victim);
  return known->second;
}

base::Duration MinRuntime::FindReclaimRuntime(QueueId reclaimer, QueueId victim) const {
  const auto& queues = session_.cluster.queues();
  std::vector<QueueId> mine, theirs;  // From the root.
  for (QueueId at = reclaimer; at != kNone; at = queues[at].parent) mine.insert(mine.begin(), at);
  for (QueueId at = victim; at != kNone; at = queues[at].parent) theirs.insert(theirs.begin(), at);
  size_t from = theirs.size() - 1;
  if (!session_.plugins.reclaim_by_queue) {
    // The first queue on the victim's path that is not an ancestor of the reclaimer.
    from = 0;
    while (from + 1 < theirs.size() && from < mine.size() && mine[from] == theirs[from]) ++from;
  }
  for (size_t i = from + 1; i-- > 0;) {
    if (queues[theirs[i]].spec->reclaim_min_runtime) {
      return *queues[theirs[i]].spec->reclaim_min_runtime;
    }
  }
  return session_.plugins.reclaim_min_runtime;
}

bool MinRuntime::MayPreempt(const Gang& victim) const {
  return !session_.plugins.preempt_minruntime || victim.Elastic() ||
         !Protected(victim.job(), PreemptRuntime(victim.job().queue));
}

std::optional<base::Duration> MinRuntime::AgainstReclaim(QueueId reclaimer, QueueId victim) const {
  if (!session_.plugins.reclaim_minruntime) return std::nullopt;
  return ReclaimRuntime(reclaimer, victim);
}

std::optional<base::Time> MinRuntime::ProtectedUntil(const Job& asker, const Gang& victim) const {
  const Job& job = victim.job();
  if (!job.preemptible || !job.last_start || victim.Elastic()) return std::nullopt;
  const bool same = job.queue == asker.queue;
  if (same && (job.priority >= asker.priority || !session_.plugins.preempt_minruntime)) {
    return std::nullopt;
  }
  if (!same && !session_.plugins.reclaim_minruntime) return std::nullopt;
  const base::Duration runtime =
      same ? PreemptRuntime(job.queue) : ReclaimRuntime(asker.queue, job.queue);
  if (!Protected(job, runtime)) return std::nullopt;
  return *job.last_start + runtime;
}

template <typename Runtime>
bool MinRuntime::KeepsMinimum(const std::vector<TaskId>& victims, Runtime runtime) const {
  std::map<std::pair<JobId, int32_t>, int> taken;
  for (TaskId id : victims) {
    const Task& task = session_.cluster.tasks()[id];
    ++taken[{task.job, task.pod_set}];
  }
  for (const auto& [where, count] : taken) {
    const Gang gang(session_.cluster, where.first);
    if (!Protected(gang.job(), runtime(gang.job().queue)) || !gang.Elastic()) continue;
    if (gang.Counts(where.second).Used() - count < gang.Min(where.second)) return false;
  }
  return true;
}

bool MinRuntime::PreemptKeepsMinimum(const std::vector<TaskId>& victims) const {
  return !session_.plugins.preempt_minruntime ||
         KeepsMinimum(victims, [&](QueueId queue) { return PreemptRuntime(queue); });
}

bool MinRuntime::ReclaimKeepsMinimum(QueueId reclaimer, const std::vector<TaskId>& victims) const {
  return !session_.plugins.reclaim_minruntime ||
         KeepsMinimum(victims, [&](QueueId queue) { return ReclaimRuntime(reclaimer, queue); });
}

}  // namespace coppice::engine
