#include <fmt/format.h>

#include <map>

#include "engine/actions/victim_actions.h"
#include "engine/order/min_runtime.h"
#include "engine/state/jobs/status.h"

namespace coppice::engine {
namespace {

// Only visits the preemptor's queue, so other queues cost nothing.
std::vector<JobId> PreemptionVictims(ActionContext& context, const MinRuntime& min_runtime,
                                     const Gang& preemptor) {
  const Session& session = context.session;
  context.lists.Refresh(session);
  std::vector<JobId> candidates;
  for (const ListedJob& listed : context.lists.active()[preemptor.job().queue]) {
    if (listed.job == preemptor.id() || listed.key.priority >= preemptor.job().priority) continue;
    if (min_runtime.MayPreempt(Gang(session.cluster, listed.job))) candidates.push_back(listed.job);
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
      spec.problem.candidates = PreemptionVictims(context, min_runtime, gang);
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
