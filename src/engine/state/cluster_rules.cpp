#include <algorithm>

#include "engine/state/cluster.h"

// Whether a task fits a node, and how much of a node is free (docs/behaviour/engine.md S-22 and
// S-23).

namespace coppice::engine {
int64_t Cluster::AcceptedGpu(const Task& task, NodeId node) const {
  const PodClass& cls = ClassOf(task);
  if (!cls.gpu.shared()) return cls.accepted_gpu;
  const int64_t memory = node == kNone ? 0 : nodes[node].gpu_memory;
  return AcceptedMilliOn(cls.gpu, memory) + cls.gpu.dra_count * kGpuUnit;
}

Sums Cluster::AcceptedOf(const Task& task, NodeId node) const {
  // Where nobody knows the node nobody has accepted anything.
  if (node != kNone && !nodes[node].exists) return {};
  const PodClass& cls = ClassOf(task);
  if (!cls.gpu.shared()) return cls.accepted;
  return {{cls.request[kCpu], cls.request[kMemory], AcceptedGpu(task, node)}};
}

int64_t Cluster::RequestedQuota(const Task& task) const { return ClassOf(task).quota; }

int64_t Cluster::AcceptedQuota(const Task& task, NodeId node) const {
  return AcceptedOf(task, node)[kGpu];
}

bool Cluster::FitsOnGroup(TaskId task, NodeId node, const GpuGroup& group) const {
  const int64_t device = nodes[node].gpu_memory;
  const int64_t memory = MemoryOn(ClassOf(task).gpu, device);
  return group.used != 0 && device - group.allocated + group.releasing - memory >= 0 &&
         group.allocated != group.releasing;
}

bool Cluster::FitsIdleOnGroup(TaskId task, NodeId node, const GpuGroup& group) const {
  const int64_t device = nodes[node].gpu_memory;
  return group.known_allocated &&
         device - group.allocated - MemoryOn(ClassOf(task).gpu, device) >= 0;
}

bool Cluster::FitsIdle(TaskId task, NodeId node) const { return Fits(task, node, false); }

bool Cluster::FitsIdleOrReleasing(TaskId task, NodeId node) const { return Fits(task, node, true); }

bool Cluster::ServedByClaims(NodeId node, int resource) const {
  return resource < static_cast<int>(dra_backed.size()) && dra_backed[resource] &&
         amounts.allocatable(node)[resource] == 0;
}

bool Cluster::Fits(TaskId id, NodeId node, bool with_releasing) const {
  const Task& task = tasks[id];
  const PodClass& cls = ClassOf(task);
  if (cls.gpu.shared()) return FitsShared(id, node, with_releasing);
  auto idle = amounts.idle(node), releasing = amounts.releasing(node);
  int64_t shared_devices = 0;
  if (task.extras) {
    for (NameId device : task.extras->devices) {
      for (const auto& [known, users] : nodes[node].devices) {
        shared_devices += known == device && users > 0 ? kGpuUnit : 0;
      }
    }
  }
  const int size = static_cast<int>(cls.request.size());
  for (int i = 0; i < size; ++i) {
    int64_t available = idle[i] + (with_releasing ? releasing[i] : 0);
    if (i == kGpu) available += shared_devices;
    if (cls.request[i] <= available) continue;
    // Upstream looks for claims only where a GPU is shared.
    if (configuration.compatibility.Keeps(Quirk::kClaimedResources)) return false;
    if (!ServedByClaims(node, i)) return false;
  }
  return true;
}

bool Cluster::FitsShared(TaskId id, NodeId node, bool with_releasing) const {
  const PodClass& cls = ClassOf(id);
  if (PortionPercentOn(cls.gpu, nodes[node].gpu_memory) > 100) return false;
  auto idle = amounts.idle(node), releasing = amounts.releasing(node);
  const int size = static_cast<int>(cls.request.size());
  for (int i = 0; i < size; ++i) {
    if (i == kGpu || cls.request[i] <= idle[i] + (with_releasing ? releasing[i] : 0)) continue;
    if (!ServedByClaims(node, i)) return false;
  }
  int64_t devices = (idle[kGpu] + (with_releasing ? releasing[kGpu] : 0)) / kGpuUnit;
  for (const auto& group : nodes[node].groups) devices += FitsOnGroup(id, node, group);
  return devices >= cls.gpu.count;
}

int64_t Cluster::IdleGpuSum(NodeId node) const {
  int64_t sum = TotalGpus(resources, amounts.idle(node));
  const int64_t device = nodes[node].gpu_memory;
  for (const auto& group : nodes[node].groups) {
    if (group.allocated > 0) sum += (100 - CeilPercent(group.allocated, device)) * kGpuUnit / 100;
  }
  return sum;
}

int64_t Cluster::ReleasingGpuSum(NodeId node) const {
  int64_t sum = TotalGpus(resources, amounts.releasing(node));
  const int64_t device = nodes[node].gpu_memory;
  for (const auto& group : nodes[node].groups) {
    if (group.releasing > 0 && group.releasing != group.used) {
      sum += CeilPercent(group.releasing, device) * kGpuUnit / 100;
    }
  }
  return sum;
}

double Cluster::FreeGpus(NodeId node) const {
  double idle = 0, releasing = 0;
  const int64_t device = nodes[node].gpu_memory;
  const auto part = [&](int64_t memory) {
    return static_cast<double>(CeilPercent(memory, device)) / 100;
  };
  for (const auto& group : nodes[node].groups) {
    if (group.allocated > 0) idle += 1 - part(group.allocated);
    if (group.releasing > 0 && group.releasing != group.used) releasing += part(group.releasing);
  }
  idle += InDevices(TotalGpus(resources, amounts.idle(node)));
  releasing += InDevices(TotalGpus(resources, amounts.releasing(node)));
  return idle + releasing;
}

double Cluster::SharedGpusFree(NodeId node) const {
  const int64_t device = nodes[node].gpu_memory;
  double free = 0;
  for (const auto& group : nodes[node].groups) {
    const int64_t memory = device - group.allocated + group.releasing;
    if (group.used > 0 && memory > 0) {
      free += static_cast<double>(memory) / static_cast<double>(device);
    }
  }
  return free;
}

int64_t Cluster::IdleGpuMemory(NodeId node) const {
  const int64_t device = nodes[node].gpu_memory;
  int64_t sum = TotalGpus(resources, amounts.idle(node)) / kGpuUnit * device;
  for (const auto& group : nodes[node].groups) {
    if (group.allocated > 0) sum += device - group.allocated;
  }
  return sum;
}

int64_t Cluster::ReleasingGpuMemory(NodeId node) const {
  const int64_t device = nodes[node].gpu_memory;
  int64_t sum = TotalGpus(resources, amounts.releasing(node)) / kGpuUnit * device;
  for (const auto& group : nodes[node].groups) {
    if (group.releasing > 0 && group.releasing != group.used) sum += group.releasing;
  }
  return sum;
}

}  // namespace coppice::engine
