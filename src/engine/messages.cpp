#include "engine/messages.h"

#include <fmt/format.h>

namespace coppice::engine {
namespace {

bool OnlyDefault(const Cluster& cluster, const Gang& gang) {
  return gang.job().pod_sets.size() == 1 && cluster.Text(gang.job().pod_sets[0].name) == "default";
}

}  // namespace

std::string NodePoolOf(const Job& job) {
  return job.spec && !job.spec->node_pool.empty() ? job.spec->node_pool : "default";
}

FitError PreemptionDelayError(base::Duration delay, base::Time until) {
  const std::string text = fmt::format(
      "Workload is within its preemption delay window ({}) and may not trigger evictions before {}",
      base::FormatDuration(delay), base::FormatRfc3339(until));
  return {"PreemptionDelayNotElapsed", text, text, {}};
}

FitError GangError(const Cluster& cluster, const Gang& gang, int pod_set, int found, TaskId task,
                   const std::string& reason) {
  // Pods that are being moved still count: only a set that lacks pods is a gang in the making.
  const int min = gang.Min(pod_set), used = gang.Counts(pod_set).Used();
  std::string text;
  bool gang_job = false;
  for (int i = 0; i < static_cast<int>(gang.job().pod_sets.size()); ++i)
    gang_job |= gang.Min(i) > 1;
  if (used >= min || !gang_job) {
    text = fmt::format("Resources were not found for pod {} due to: {}", cluster.PodName(task),
                       reason);
  } else if (OnlyDefault(cluster, gang)) {
    text = fmt::format(
        "Resources were found for {} pods while {} are required for gang scheduling. Additional "
        "pods cannot be scheduled due to: {}",
        found, min, reason);
  } else {
    text = fmt::format(
        "Resources were found for {} pods from all sub-groups while sub-group {} requires {} pods "
        "for gang scheduling. Additional pods cannot be scheduled in this sub-group due to: {}",
        found, cluster.Text(gang.job().pod_sets[pod_set].name), min, reason);
  }
  return {"PodSchedulingErrors", text, text, {}};
}

std::string NotReadyText(const Cluster& cluster, const Gang& gang) {
  std::string text = "Job is not ready for scheduling.";
  for (int i = 0; i < static_cast<int>(gang.job().pod_sets.size()); ++i) {
    if (gang.PodSetReady(i)) continue;
    const StatusCounts counts = gang.Counts(i);
    const int gated = counts.Of(TaskStatus::kGated);
    const std::string_view name = cluster.Text(gang.job().pod_sets[i].name);
    text +=
        name == "default"
            ? fmt::format(" Waiting for {} pods, currently {} exist, {} are gated", gang.Min(i),
                          counts.Alive(), gated)
            : fmt::format(" Waiting for {} pods for SubGroup {}, currently {} exist, {} are gated.",
                          gang.Min(i), name, counts.Alive(), gated);
  }
  return text;
}

std::string StaleText(const Cluster& cluster, const Gang& gang) {
  int active = 0, min = 0;
  for (int i = 0; i < static_cast<int>(gang.job().pod_sets.size()); ++i) {
    active += gang.Counts(i).Used();
    min += gang.Min(i);
  }
  std::string text = fmt::format("Job is stale. {} pods are active, minMember is {}", active, min);
  for (int i = 0; i < static_cast<int>(gang.job().pod_sets.size()); ++i) {
    const std::string_view name = cluster.Text(gang.job().pod_sets[i].name);
    const int used = gang.Counts(i).Used();
    if (used >= gang.Min(i) || name == "default") continue;
    text += fmt::format(", subGroup {} minMember is {} and {} pods are active", name, gang.Min(i),
                        used);
  }
  return text;
}

}  // namespace coppice::engine
