#include <fmt/format.h>

#include "engine/shares/shares.h"

// Limits of queues, and the quota for non-preemptible work (docs/behaviour/engine.md S-76).

namespace coppice::engine {
namespace {

struct Resource {
  const char* name;        // As in "limit of …".
  const char* unit;        // As in "12 …".
  const char* quota_name;  // As in "requested 12 …".
  double divisor;
};

constexpr Resource kResources[3] = {{"CPU cores", "cores", "CPU cores", 1000},
                                    {"memory", "GB", "GB memory", 1e9},
                                    {"GPUs", "GPUs", "GPUs", kGpuUnit}};

std::string Show(double value, int i) { return HumanAmount(value, kResources[i].divisor); }

std::map<std::string, double> Named(const Quantities& amount) {
  return {{"cpu", amount[0]},
          {"memory", amount[1]},
          {"nvidia.com/gpu", amount[2] == kUnlimited ? kUnlimited : amount[2] / kGpuUnit}};
}

}  // namespace

Quantities Shares::CapacityRequest(std::span<const TaskId> tasks) const {
  Quantities sum;
  for (TaskId id : tasks) {
    const PodClass& cls = cluster_.ClassOf(id);
    sum[0] += static_cast<double>(cls.request[kCpu]);
    sum[1] += static_cast<double>(cls.request[kMemory]);
    if (cls.gpu.memory_mib > 0) {
      if (cluster_.nodes().max_gpu_memory()) {
        sum[2] += static_cast<double>(cls.gpu.count * cls.gpu.memory_mib * kGpuUnit) /
                  static_cast<double>(*cluster_.nodes().max_gpu_memory());
      }
    } else {
      sum[2] += static_cast<double>(cls.all_gpus);
    }
  }
  return sum;
}

Quantities Shares::CapacityRequestOn(TaskId id, NodeId node) const {
  const PodClass& cls = cluster_.ClassOf(id);
  Quantities sum{
      {static_cast<double>(cls.request[kCpu]), static_cast<double>(cls.request[kMemory]), 0}};
  for (const auto& [slot, count] : cls.gpu.mig) {
    sum[2] += static_cast<double>(count * cluster_.resources().MigSlices(slot) * kGpuUnit);
  }
  if (!cls.gpu.mig.empty()) return sum;
  const int64_t device = cluster_.nodes()[node].gpu_memory;
  const int64_t memory = MemoryOn(cls.gpu, device);
  sum[2] = static_cast<double>(cls.gpu.count * CeilPercent(memory, device) * (kGpuUnit / 100));
  if (!cluster_.configuration().compatibility.Keeps(Quirk::kClaimedGpusPerNode)) {
    sum[2] += static_cast<double>(cls.gpu.dra_count * kGpuUnit);
  }
  return sum;
}

FitError Shares::Describe(JobId job_id, QueueId id, const Quantities& request, std::string reason,
                          std::string message) const {
  const Job& job = cluster_.jobs()[job_id];
  const Queue& queue = cluster_.queues()[id];
  FitError error{std::move(reason), message, message, {}};
  error.queue.emplace();
  error.queue->name = queue.spec->name;
  error.queue->requested = Named(queue.request);
  error.queue->deserved = Named(queue.deserved);
  error.queue->allocated = Named(queue.allocated.ToQuantities());
  error.queue->allocated_non_preemptible = Named(queue.allocated_non_preemptible.ToQuantities());
  error.queue->limits = Named(queue.limit);
  error.queue->group_requested = Named(request);
  if (!job.preemptible) error.queue->group_requested_non_preemptible = Named(request);
  return error;
}

std::optional<FitError> Shares::OverCapacity(JobId job_id, const Quantities& request) const {
  for (QueueId id = cluster_.jobs()[job_id].queue; id != kNone; id = cluster_.queues()[id].parent) {
    const Queue& queue = cluster_.queues()[id];
    for (int i = 0; i < 3; ++i) {
      const double used = static_cast<double>(queue.allocated[i]);
      if (queue.limit[i] == kUnlimited || request[i] == 0) continue;
      if (used + request[i] <= queue.limit[i]) continue;
      const std::string& name =
          queue.spec->display_name.empty() ? queue.spec->name : queue.spec->display_name;
      return Describe(
          job_id, id, request, "OverLimit",
          fmt::format("{} quota has reached the allowable limit of {}. Limit is {} {}, "
                      "currently {} {} allocated and workload requested {} {}",
                      name, kResources[i].name, Show(queue.limit[i], i), kResources[i].unit,
                      Show(used, i), kResources[i].unit, Show(request[i], i), kResources[i].unit));
    }
  }
  return OverQuota(job_id, request);
}

std::optional<FitError> Shares::OverQuota(JobId job_id, const Quantities& request) const {
  const Job& job = cluster_.jobs()[job_id];
  if (job.preemptible) return std::nullopt;
  for (QueueId id = job.queue; id != kNone; id = cluster_.queues()[id].parent) {
    const Queue& queue = cluster_.queues()[id];
    for (int i = 0; i < 3; ++i) {
      const double used = static_cast<double>(queue.allocated_non_preemptible[i]);
      if (queue.deserved[i] == kUnlimited || request[i] == 0) continue;
      if (used + request[i] <= queue.deserved[i]) continue;
      const std::string& name =
          queue.spec->display_name.empty() ? queue.spec->name : queue.spec->display_name;
      const Resource& resource = kResources[i];
      return Describe(
          job_id, id, request, "NonPreemptibleOverQuota",
          fmt::format("Non-preemptible workload is over quota. Workload requested {} {}, but {} "
                      "quota is {} {}, while {} {} are already allocated for non-preemptible pods. "
                      "Use a preemptible workload to go over quota.",
                      Show(request[i], i), resource.quota_name, name, Show(queue.deserved[i], i),
                      resource.unit, Show(used, i), resource.unit));
    }
  }
  return std::nullopt;
}

}  // namespace coppice::engine
