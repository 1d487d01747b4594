#include <fmt/format.h>

#include <algorithm>

#include "engine/actions/victim_actions.h"
#include "engine/state/jobs/status.h"

namespace coppice::engine {
namespace {

// Whether all ready nodes together have the GPUs and GPU memory that the job requests.
bool EnoughInTotal(const Session& session, const Gang& gang) {
  const Cluster& cluster = session.cluster;
  const int64_t megabytes = session.config.compatibility.Keeps(Quirk::kMigMemoryUnits) ? 1 : 1024;
  int64_t gpus = 0, memory = 0, wanted = 0, wanted_memory = 0;
  for (NodeId node : cluster.node_order()) {
    if (!cluster.nodes()[node].ready) continue;
    gpus += cluster.nodes().IdleGpuSum(node) + cluster.nodes().ReleasingGpuSum(node);
    memory += cluster.nodes().IdleGpuMemory(node) + cluster.nodes().ReleasingGpuMemory(node);
  }
  for (TaskId id : gang.TasksToAllocate(false)) {
    const PodClass& cls = cluster.ClassOf(id);
    wanted += cluster.RequestedQuota(cluster.tasks()[id]);
    wanted_memory += cls.gpu.memory_mib;  // Of one device, as in upstream.
    // Upstream adds these gigabytes to megabytes.
    for (const auto& [slot, count] : cls.gpu.mig) {
      wanted_memory += count * cluster.resources().MigMemoryGb(slot) * megabytes;
    }
  }
  return gpus >= wanted && memory >= wanted_memory;
}

std::vector<JobId> ConsolidationVictims(const Session& session, JobId consolidator) {
  std::vector<JobId> candidates;
  int limit = session.config.max_consolidation_preemptees;
  // Upstream checks the limit before it adds one more.
  if (limit >= 0 && session.config.compatibility.Keeps(Quirk::kConsolidationLimit)) ++limit;
  for (JobId id : session.cluster.job_order()) {
    const Gang gang(session.cluster, id);
    if (id == consolidator || !gang.job().preemptible || !gang.HasActive()) continue;
    candidates.push_back(id);
    if (static_cast<int>(candidates.size()) == limit) break;
  }
  return candidates;
}

}  // namespace

void RunConsolidation(ActionContext& context) {
  Session& session = context.session;
  if (session.config.max_consolidation_preemptees == 0) return;
  SearchBudget budget(session, "consolidation");
  if (!budget.valid()) return;
  JobOrder::Options options = ActionOptions(session, "consolidation");
  options.only_preemptible = true;
  JobOrder order(session, options);
  order.AddAll();
  FailedJobs failed(session);
  Cluster& cluster = session.cluster;
  while (!order.empty()) {
    const Gang gang = order.Pop();
    if (!failed.WorthTrying(gang) || !VictimInvariantHolds(context, gang)) continue;
    ++session.counters().groups_acted_on;
    bool placed = false;
    if (EnoughInTotal(session, gang)) {
      SearchSpec spec;
      spec.problem.job = gang.id();
      spec.problem.candidates = ConsolidationVictims(session, gang.id());
      spec.problem.allowed = [&](const Probe&, const std::vector<TaskId>& victims) {
        return std::none_of(victims.begin(), victims.end(), [&](TaskId task) {
          return cluster.tasks()[task].status == TaskStatus::kReleasing;
        });
      };
      spec.text = [&](TaskId task) {
        return fmt::format(
            "Pod {} was preempted and rescheduled due to bin packing (resource "
            "consolidation) procedure",
            cluster.PodName(task));
      };
      if (!SearchAndCommit(context, budget, spec, placed)) return;
    }
    if (!placed) failed.Add(gang);
  }
}

}  // namespace coppice::engine
