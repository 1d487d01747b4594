#include "engine/session/messages.h"

#include <fmt/format.h>

#include "engine/state/jobs/working.h"

namespace coppice::engine {
namespace {

constexpr std::string_view kSurplusUntil = " of the same set until ";

bool OnlyDefault(const Cluster& cluster, const Gang& gang) {
  return gang.job().pod_sets.size() == 1 && cluster.Text(gang.job().pod_sets[0].name) == "default";
}

std::string Qualified(const Cluster& cluster, std::string_view name, NameId ns, NameId here) {
  if (ns == here) return std::string(name);
  return fmt::format("{} in namespace {}", name, cluster.Text(ns));
}

}  // namespace

std::string NodePoolOf(const Job& job) {
  return job.spec && !job.spec->node_pool.empty() ? job.spec->node_pool : "default";
}

std::string JobName(const Cluster& cluster, JobId id, NameId here) {
  const Job& job = cluster.jobs()[id];
  if (job.spec && !job.spec->shown_as.empty()) {
    return Qualified(cluster, job.spec->shown_as, job.namespace_name, here);
  }
  if (job.tasks.size() == 1) return PodName(cluster, job.tasks.front(), here);
  return Qualified(cluster, cluster.Text(job.name), job.namespace_name, here);
}

std::string PodName(const Cluster& cluster, TaskId task, NameId here) {
  const std::string name = fmt::format("pod/{}", cluster.Text(cluster.tasks()[task].name));
  return Qualified(cluster, name, cluster.ClassOf(task).namespace_name, here);
}

FitError SearchUnresolvedError() {
  const std::string text = "The search for pods to evict ran out of its time";
  return {"ScenarioSearchUnresolved", text, text, {}};
}

FitError PreemptionDelayError(base::Duration delay, base::Time until) {
  const std::string text = fmt::format(
      "Workload is within its preemption delay window ({}) and may not trigger evictions before {}",
      base::FormatDuration(delay), base::FormatRfc3339(until));
  return {"PreemptionDelayNotElapsed", text, text, {}};
}

FitError SurplusHeldError(std::string_view waiting, base::Time until) {
  const std::string text = fmt::format("Pods beyond the minimum leave free room to {}{}{}", waiting,
                                       kSurplusUntil, base::FormatRfc3339(until));
  return {kRoomLeftToGang, text, text, {}};
}

std::optional<base::Time> SurplusHeldUntil(std::string_view message) {
  const size_t reason = message.find(kRoomLeftToGang);
  const size_t until =
      message.find(kSurplusUntil, reason == message.npos ? message.size() : reason);
  if (until == message.npos) return std::nullopt;
  const std::string_view rest = message.substr(until + kSurplusUntil.size());
  const size_t end = rest.find('Z');
  if (end == rest.npos) return std::nullopt;
  const auto time = base::ParseRfc3339(rest.substr(0, end + 1));
  return time ? std::optional(*time) : std::nullopt;
}

Shortfall ShortfallOf(const Cluster& cluster, const Gang& gang, int pod_set, int found, TaskId id) {
  const Task& task = cluster.tasks()[id];
  Shortfall shortfall{Shortfall::Kind::kPod,
                      cluster.ClassOf(task).namespace_name,
                      task.name,
                      gang.job().pod_sets[pod_set].name,
                      found,
                      gang.Min(pod_set),
                      {}};
  if (task.extras && task.extras->errors) shortfall.reason = task.extras->errors->Text();
  bool gang_job = false;
  for (int i = 0; i < static_cast<int>(gang.job().pod_sets.size()); ++i) {
    gang_job |= gang.Min(i) > 1;
  }
  // Pods that are being moved still count: only a set that lacks pods is an incomplete gang.
  if (gang_job && gang.Counts(pod_set).Used() < shortfall.min) {
    shortfall.kind =
        OnlyDefault(cluster, gang) ? Shortfall::Kind::kGang : Shortfall::Kind::kSubGroup;
  }
  return shortfall;
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
    active += Working(gang.Counts(i));
    min += gang.Min(i);
  }
  std::string text = fmt::format("Job is stale. {} pods are active, minMember is {}", active, min);
  for (int i = 0; i < static_cast<int>(gang.job().pod_sets.size()); ++i) {
    const std::string_view name = cluster.Text(gang.job().pod_sets[i].name);
    const int used = Working(gang.Counts(i));
    if (used >= gang.Min(i) || name == "default") continue;
    text += fmt::format(", subGroup {} minMember is {} and {} pods are active", name, gang.Min(i),
                        used);
  }
  return text;
}

}  // namespace coppice::engine
