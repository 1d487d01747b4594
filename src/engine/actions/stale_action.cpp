#include <fmt/format.h>

#include "engine/actions/actions.h"
#include "engine/placement/statement.h"
#include "engine/state/jobs/status.h"

namespace coppice::engine {
namespace {

std::string StaleEvictionText(const Cluster& cluster, const Gang& gang, TaskId id) {
  const Task& task = cluster.tasks()[id];
  const std::string start = "Workload doesn't meet the minimum required number of pods";
  const std::string end = fmt::format(", evicting remaining pod: {}", cluster.PodName(id));
  if (task.pod_set == kNone) return start + end;
  const std::string_view name = cluster.Text(gang.job().pod_sets[task.pod_set].name);
  const int min = gang.Min(task.pod_set);
  if (name == "default") return fmt::format("{} ({}){}", start, min, end);
  return fmt::format("{} ({}) in sub-group {}{}", start, min, name, end);
}

void EvictAll(Session& session, const Gang& gang) {
  Cluster& cluster = session.cluster;
  const auto last_eviction = gang.job().last_eviction;
  Statement statement(session);
  for (TaskId task : gang.AllTasks()) {
    if (IsActive(cluster.tasks()[task].status)) statement.Evict(task);
  }
  statement.Commit([&](TaskId task) { return StaleEvictionText(cluster, gang, task); });
  // Upstream does not update the time of the last eviction here.
  if (session.config.compatibility.Keeps(Quirk::kStaleEvictionTime)) {
    session.job(gang.id()).last_eviction = last_eviction;
  }
}

}  // namespace

void RunStaleGangEviction(ActionContext& context) {
  Session& session = context.session;
  for (JobId id : session.cluster.job_order()) {
    Gang gang(session.cluster, id);
    if (!gang.Stale()) {
      if (gang.job().stale_since || gang.job().stale) {
        session.job(id).stale_since.reset();
        session.job(id).stale = false;
      }
      continue;
    }
    JobRecord& job = session.job(id);
    if (!job.stale_since) job.stale_since = session.now;
    const base::Duration grace =
        gang.job().spec->staleness_grace.value_or(session.config.default_staleness_grace);
    if (grace.count() < 0 || session.now - *job.stale_since < grace) continue;
    job.stale = true;
    EvictAll(session, gang);
  }
}

}  // namespace coppice::engine
