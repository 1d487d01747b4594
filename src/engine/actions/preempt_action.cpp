#include <fmt/format.h>

#include <map>

#include "engine/actions/victim_actions.h"
#include "engine/shares/min_runtime.h"
#include "engine/state/status.h"

namespace coppice::engine {
namespace {

std::vector<JobId> Candidates(const Session& session, const Gang& preemptor) {
  const MinRuntime min_runtime(session);
  std::vector<JobId> candidates;
  for (JobId id : session.cluster.job_order) {
    const Gang gang(session.cluster, id);
    const Job& job = gang.job();
    if (id == preemptor.id() || job.queue != preemptor.job().queue || !job.preemptible) continue;
    if (job.priority >= preemptor.job().priority || !gang.HasActive()) continue;
    if (min_runtime.MayPreempt(gang)) candidates.push_back(id);
  }
  return candidates;
}

}  // namespace

void RunPreempt(ActionContext& context) {
  Session& session = context.session;
  Cluster& cluster = session.cluster;
  SearchBudget budget(session, "preempt");
  if (!budget.valid()) return;
  JobOrder order(session, ActionOptions(session, "preempt"));
  order.AddAll();
  std::map<QueueId, FailedJobs> failed;
  const MinRuntime min_runtime(session);
  while (!order.empty()) {
    const Gang gang = order.Pop();
    FailedJobs& mine = failed.try_emplace(gang.job().queue, session).first->second;
    if (!mine.WorthTrying(gang) || !VictimInvariantHolds(context, gang)) continue;
    ++session.counters().groups_acted_on;
    const std::vector<TaskId> tasks = gang.TasksToAllocate(false);
    const bool over_quota =
        session.plugins.proportion &&
        session.shares.OverQuota(gang.id(), session.shares.CapacityRequest(tasks));
    bool placed = false;
    if (!over_quota) {
      SearchSpec spec;
      spec.problem.job = gang.id();
      spec.problem.candidates = Candidates(session, gang);
      spec.problem.allowed = [&](const Probe&, const std::vector<TaskId>& victims) {
        return min_runtime.PreemptKeepsMinimum(victims);
      };
      spec.text = [&](TaskId task) {
        return fmt::format("Pod {} was preempted by higher priority workload {}/{}",
                           cluster.PodName(task), cluster.Text(gang.job().namespace_name),
                           cluster.Text(gang.job().name));
      };
      if (!SearchAndCommit(context, budget, spec, placed)) return;
      if (placed) ++session.counters().preemption_attempts;
    }
    if (!placed) mine.Add(gang);
  }
}

}  // namespace coppice::engine
