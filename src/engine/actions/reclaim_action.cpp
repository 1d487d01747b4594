#include <fmt/format.h>

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <map>
#include <memory>
#include <tuple>

#include "engine/actions/victim_actions.h"
#include "engine/order/min_runtime.h"
#include "engine/state/jobs/status.h"

namespace coppice::engine {
namespace {

std::vector<JobId> ReclaimVictims(ActionContext& context, const MinRuntime& min_runtime,
                                  const Gang& reclaimer, const Quantities& request) {
  const Session& session = context.session;
  const QueueId own = reclaimer.job().queue;
  context.lists.Refresh(session);
  const JobLists::Lists& active = context.lists.active();
  std::vector<JobId> candidates;
  for (QueueId queue = 0; queue < static_cast<QueueId>(active.size()); ++queue) {
    if (queue == own || active[queue].empty()) continue;
    if (session.plugins.reclaim_of_shares && !session.shares.IsReclaimVictim(own, request, queue)) {
      continue;
    }
    const auto runtime = min_runtime.AgainstReclaim(own, queue);
    for (const ListedJob& listed : active[queue]) {
      if (!runtime || min_runtime.MayReclaim(*runtime, Gang(session.cluster, listed.job))) {
        candidates.push_back(listed.job);
      }
    }
  }
  return candidates;
}

// Orders jobs by their first occurrence, and groups their tasks by pod set. Duplicates stay, as in
// upstream.
std::vector<TaskId> ByJobAndPodSet(const Cluster& cluster, const std::vector<TaskId>& victims) {
  struct Named {
    size_t job;  // Index of its first occurrence.
    int32_t pod_set;
    TaskId task;
  };
  boost::unordered_flat_map<JobId, size_t> places;
  std::vector<Named> named;
  for (TaskId id : victims) {
    const Task& task = cluster.tasks()[id];
    named.push_back({places.try_emplace(task.job, places.size()).first->second, task.pod_set, id});
  }
  std::stable_sort(named.begin(), named.end(), [](const Named& a, const Named& b) {
    return std::tie(a.job, a.pod_set) < std::tie(b.job, b.pod_set);
  });
  std::vector<TaskId> tasks;
  for (const Named& entry : named) tasks.push_back(entry.task);
  return tasks;
}

std::vector<ReclaimBundle>& BundlesOf(VictimBundles& bundles, QueueId queue) {
  auto found = std::find_if(bundles.begin(), bundles.end(),
                            [&](const auto& entry) { return entry.first == queue; });
  if (found == bundles.end()) found = bundles.insert(found, {queue, {}});
  return found->second;
}

ReclaimBundle BundleOf(const Cluster& cluster, const Task& task) {
  ReclaimBundle bundle{cluster.AcceptedOf(task, task.node), 0};
  bundle.resources = (bundle.amount[0] > 0 ? 1u : 0) | (bundle.amount[1] > 0 ? 2u : 0) |
                     (cluster.AcceptedGpu(task, task.node) > 0 ? 4u : 0);
  return bundle;
}

// What evicting the tasks frees, by queue: elastic tasks one by one, then the core tasks of a job
// together. Tasks that were placed elsewhere do not count if that is allowed.
VictimBundles Bundles(const Session& session, const std::vector<TaskId>& victims) {
  const Cluster& cluster = session.cluster;
  VictimBundles bundles;
  const std::vector<TaskId> tasks = ByJobAndPodSet(cluster, victims);
  const auto same_job = [&](size_t a, size_t b) {
    return cluster.tasks()[tasks[a]].job == cluster.tasks()[tasks[b]].job;
  };
  for (size_t i = 0; i < tasks.size();) {
    const Job& job = cluster.jobs()[cluster.tasks()[tasks[i]].job];
    auto& queue_bundles = BundlesOf(bundles, job.queue);
    ReclaimBundle core;
    bool any_core = false;
    int32_t nth = 0;  // Index within its pod set.
    for (const size_t first = i; i < tasks.size() && same_job(first, i); ++i) {
      const Task& task = cluster.tasks()[tasks[i]];
      nth = i > first && cluster.tasks()[tasks[i - 1]].pod_set == task.pod_set ? nth + 1 : 0;
      if (session.config.allow_consolidating_reclaim && IsActive(task.status)) continue;
      const ReclaimBundle bundle = BundleOf(cluster, task);
      if (nth >= job.pod_sets[task.pod_set].min) {
        queue_bundles.push_back(bundle);
      } else {
        core.amount.Add(bundle.amount, +1);
        core.resources |= bundle.resources;
        any_core = true;
      }
    }
    if (any_core) queue_bundles.push_back(core);
  }
  return bundles;
}

// Whether what the queues have above their fair shares is enough in any case.
bool EnoughAboveShares(const Session& session, const Gang& reclaimer, const Quantities& request,
                       const std::vector<JobId>& candidates, int64_t missing) {
  QueueId last = kNone;  // Candidates are grouped by queue.
  for (JobId id : candidates) {
    const QueueId queue = session.cluster.jobs()[id].queue;
    if (queue == last) continue;
    last = queue;
    const auto most = session.shares.MostReclaimable(reclaimer.job().queue, request, queue, 0, 0);
    if (!most) return true;
    missing -= *most;
  }
  return missing <= 0;
}

// Whether no choice of victims can succeed: the job lacks more GPUs, beyond all free ones, than the
// queues may lose before they are down to their fair share. A simulation neither creates nor loses
// GPUs, so every solution would have to take that much.
bool Hopeless(const Session& session, const Gang& reclaimer, const Quantities& request,
              const std::vector<JobId>& candidates) {
  const Cluster& cluster = session.cluster;
  int64_t missing = 0;
  for (TaskId task : reclaimer.TasksToAllocate(false)) {
    missing += cluster.RequestedQuota(cluster.tasks()[task]);
  }
  if (missing == 0) return false;
  for (NodeId node : cluster.node_order()) {
    missing -= cluster.nodes().IdleGpuSum(node) + cluster.nodes().ReleasingGpuSum(node);
  }
  if (missing <= 0) return false;
  if (EnoughAboveShares(session, reclaimer, request, candidates, missing)) return false;
  // By queue: the largest and the smallest amount that is evicted at once.
  std::map<QueueId, std::pair<int64_t, int64_t>> steps;
  for (JobId id : candidates) {
    int64_t size = 0, tasks = 0;
    for (const auto& pod_set : cluster.jobs()[id].pod_sets) {
      for (TaskId task_id : pod_set.tasks) {
        const Task& task = cluster.tasks()[task_id];
        if (!IsActive(task.status)) continue;
        size += cluster.AcceptedQuota(task, task.node);
        ++tasks;
      }
    }
    auto [found, added] = steps.try_emplace(cluster.jobs()[id].queue, size, size);
    found->second.first = std::max(found->second.first, size);
    found->second.second = tasks == 1 ? std::min(found->second.second, size) : 0;
  }
  for (const auto& [queue, step] : steps) {
    const auto most = session.shares.MostReclaimable(reclaimer.job().queue, request, queue,
                                                     step.second, step.first);
    if (!most) return false;
    missing -= *most;
  }
  return missing > 0;
}

Statement::EvictionText EvictionTextFor(Session& session, JobId reclaimer) {
  // The text about the queues is the same for all victims of a queue.
  auto about = std::make_shared<std::map<QueueId, std::string>>();
  return [&session, reclaimer, about](TaskId task) {
    const Cluster& cluster = session.cluster;
    const Job& job = cluster.jobs()[reclaimer];
    const QueueId queue = cluster.jobs()[cluster.tasks()[task].job].queue;
    auto [text, added] = about->try_emplace(queue);
    if (added) {
      const auto [theirs, mine] = session.shares.QueuesForEviction(queue, job.queue);
      text->second = fmt::format("{}\n{}", session.shares.DescribeForEviction(theirs),
                                 session.shares.DescribeForEviction(mine));
    }
    return fmt::format("Pod {} was reclaimed by workload {}/{}.\n{}", cluster.PodName(task),
                       cluster.Text(job.namespace_name), cluster.Text(job.name), text->second);
  };
}

}  // namespace

void RunReclaim(ActionContext& context) {
  Session& session = context.session;
  SearchBudget budget(session, "reclaim");
  if (!budget.valid()) return;
  JobOrder order(session, ActionOptions(session, "reclaim"));
  order.AddAll();
  std::map<QueueId, FailedJobs> failed;
  const MinRuntime min_runtime(session);
  while (!order.empty()) {
    const Gang gang = order.Pop();
    const QueueId queue = gang.job().queue;
    const bool preemptible = gang.job().preemptible;
    const Quantities request = gang.InitialRequest(false);
    ++session.counters().groups_acted_on;
    if (!session.plugins.proportion || !session.shares.CanReclaim(queue, request, preemptible)) {
      continue;
    }
    FailedJobs& mine = failed.try_emplace(queue, session).first->second;
    if (!mine.WorthTrying(gang) || !VictimInvariantHolds(context, gang)) continue;
    session.shares.TakeSnapshot();
    SearchSpec spec;
    spec.problem.job = gang.id();
    std::vector<JobId> candidates = ReclaimVictims(context, min_runtime, gang, request);
    if (session.plugins.reclaim_of_shares && Hopeless(session, gang, request, candidates)) {
      ++session.counters()
            .search_results[std::string(ToString(SearchResult::kGeneratorsExhausted))];
      mine.Add(gang);
      continue;
    }
    spec.problem.candidates = std::move(candidates);
    spec.problem.allowed = [&](const Probe& probe, const std::vector<TaskId>& victims) {
      return (!session.plugins.reclaim_of_shares ||
              session.shares.ReclaimAllowed(queue, probe.gang.RequestOf(probe.pending), preemptible,
                                            Bundles(session, victims))) &&
             min_runtime.ReclaimKeepsMinimum(queue, victims);
    };
    spec.text = EvictionTextFor(session, gang.id());
    bool placed = false;
    if (!SearchAndCommit(context, budget, spec, placed)) return;
    if (!placed) mine.Add(gang);
  }
}

}  // namespace coppice::engine
