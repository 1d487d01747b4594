#include "engine/model/input.h"

#include "engine/model/result.h"

namespace coppice::engine {

std::string_view ToString(TaskStatus status) {
  switch (status) {
    case TaskStatus::kPending:
      return "Pending";
    case TaskStatus::kGated:
      return "Gated";
    case TaskStatus::kAllocated:
      return "Allocated";
    case TaskStatus::kPipelined:
      return "Pipelined";
    case TaskStatus::kBinding:
      return "Binding";
    case TaskStatus::kBound:
      return "Bound";
    case TaskStatus::kRunning:
      return "Running";
    case TaskStatus::kReleasing:
      return "Releasing";
    case TaskStatus::kStuckInReleasing:
      return "StuckInReleasing";
    case TaskStatus::kSucceeded:
      return "Succeeded";
    case TaskStatus::kFailed:
      return "Failed";
    case TaskStatus::kUnknown:
      return "Unknown";
  }
  return "Unknown";
}

ScenarioCounters ActionCounters::Scenarios() const {
  ScenarioCounters sum;
  for (const auto& [name, counters] : generators) {
    sum.emitted += counters.emitted;
    sum.simulated += counters.simulated;
    sum.rejected += counters.rejected;
    sum.duplicate += counters.duplicate;
  }
  return sum;
}

std::string_view ToString(ReceivedType type) {
  switch (type) {
    case ReceivedType::kRegular:
      return "Regular";
    case ReceivedType::kFraction:
      return "Fraction";
    case ReceivedType::kMigInstance:
      return "MigInstance";
  }
  return "Regular";
}

TaskStatus DeriveStatus(const PodPhase& pod) {
  if (pod.phase == "Running") {
    return pod.deletion ? TaskStatus::kReleasing : TaskStatus::kRunning;
  }
  if (pod.phase == "Succeeded") return TaskStatus::kSucceeded;
  if (pod.phase == "Failed") return TaskStatus::kFailed;
  // A pod that was just created has no phase yet.
  if (pod.phase != "Pending" && !pod.phase.empty()) return TaskStatus::kUnknown;
  if (pod.deletion) return TaskStatus::kReleasing;
  if (!pod.node.empty()) return TaskStatus::kBound;
  if (pod.has_bind_request) return TaskStatus::kBinding;
  return pod.scheduling_gates ? TaskStatus::kGated : TaskStatus::kPending;
}

void ApplyBindRequest(const BindRequestSpec& request, PodSpec& pod) {
  if (pod.node.empty()) pod.node = request.node;
  if (!request.gpu_groups.empty()) pod.gpu_groups = request.gpu_groups;
  for (const auto& [name, allocation] : request.claim_allocations) {
    pod.claim_allocations[name] = allocation;
  }
  if (request.extended_claim_allocation) {
    pod.extended_claim_allocation = request.extended_claim_allocation;
  }
  if (!pod.numa_observed && !request.numa_placement.empty()) {
    pod.numa_placement = request.numa_placement;
  }
  if (pod.status == TaskStatus::kPending || pod.status == TaskStatus::kGated) {
    pod.status = TaskStatus::kBinding;
  }
}

std::vector<std::string> GpuGroupsFromLabels(const Labels& labels) {
  std::vector<std::string> groups;
  auto first = labels.find("runai-gpu-group");
  // Users write labels too; a group without a name is ignored.
  if (first != labels.end() && !first->second.empty()) groups.push_back(first->second);
  const std::string prefix = "runai-gpu-group/";
  for (auto at = labels.lower_bound(prefix); at != labels.end(); ++at) {
    if (at->first.compare(0, prefix.size(), prefix) != 0) break;
    if (!at->second.empty()) groups.push_back(at->second);
  }
  return groups;
}

}  // namespace coppice::engine
