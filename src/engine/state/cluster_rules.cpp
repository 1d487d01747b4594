#include <algorithm>

#include "engine/state/cluster.h"

// Whether a task fits a node, and what it uses there (docs/behaviour/engine.md S-20 to S-23).

namespace coppice::engine {

int64_t Cluster::AcceptedGpu(const Task& task, NodeId node) const {
  const PodClass& cls = ClassOf(task);
  if (!cls.gpu.shared()) return cls.accepted_gpu;
  const int64_t memory = node == kNone ? 0 : nodes_[node].gpu_memory;
  return AcceptedMilliOn(cls.gpu, memory) + cls.gpu.dra_count * kGpuUnit;
}

Sums Cluster::AcceptedOf(const Task& task, NodeId node) const {
  // On an unknown node nothing is accepted.
  if (node != kNone && !nodes_[node].exists) return {};
  const PodClass& cls = ClassOf(task);
  if (!cls.gpu.shared()) return cls.accepted;
  return {{cls.request[kCpu], cls.request[kMemory], AcceptedGpu(task, node)}};
}

bool Cluster::FitsOnGroup(TaskId task, NodeId node, const GpuGroup& group) const {
  const int64_t device = nodes_[node].gpu_memory;
  const int64_t memory = MemoryOn(ClassOf(task).gpu, device);
  return group.used != 0 && device - group.allocated + group.releasing - memory >= 0 &&
         group.allocated != group.releasing;
}

bool Cluster::FitsIdleOnGroup(TaskId task, NodeId node, const GpuGroup& group) const {
  const int64_t device = nodes_[node].gpu_memory;
  return group.allocated > 0 && device - group.allocated - MemoryOn(ClassOf(task).gpu, device) >= 0;
}

bool Cluster::MatchesNodeAffinity(const PodClass& cls, NodeId node) const {
  if (!cls.has_node_affinity) return true;
  const NamedLabels labels = LabelsOf(node);
  for (const auto& [key, value] : cls.shape->node_selector) {
    if (labels.Find(key) != value) return false;
  }
  const auto& required = cls.shape->affinity.required_nodes;
  return !required || Matches(*required, labels, Text(nodes_[node].name));
}

bool Cluster::ServedByClaims(NodeId node, int resource) const {
  return devices_.Serves(resource) && amounts().allocatable(node)[resource] == 0;
}

bool Cluster::Fits(TaskId id, NodeId node, bool with_releasing) const {
  const Task& task = tasks_[id];
  const PodClass& cls = ClassOf(task);
  if (cls.gpu.shared()) return FitsShared(id, node, with_releasing);
  auto idle = amounts().idle(node), releasing = amounts().releasing(node);
  int64_t shared_devices = 0;
  if (task.extras) {
    for (NameId device : task.extras->devices) {
      for (const auto& [known, users] : nodes_[node].devices) {
        shared_devices += known == device && users > 0 ? kGpuUnit : 0;
      }
    }
  }
  const int size = static_cast<int>(cls.request.size());
  for (int i = 0; i < size; ++i) {
    int64_t available = idle[i] + (with_releasing ? releasing[i] : 0);
    if (i == kGpu) available += shared_devices;
    if (cls.request[i] <= available) continue;
    // Upstream considers claims only if a GPU is shared.
    if (configuration_.compatibility.Keeps(Quirk::kClaimedResources)) return false;
    if (!ServedByClaims(node, i)) return false;
  }
  return true;
}

bool Cluster::FitsShared(TaskId id, NodeId node, bool with_releasing) const {
  const PodClass& cls = ClassOf(id);
  if (PortionPercentOn(cls.gpu, nodes_[node].gpu_memory) > 100) return false;
  auto idle = amounts().idle(node), releasing = amounts().releasing(node);
  const int size = static_cast<int>(cls.request.size());
  for (int i = 0; i < size; ++i) {
    if (i == kGpu || cls.request[i] <= idle[i] + (with_releasing ? releasing[i] : 0)) continue;
    if (!ServedByClaims(node, i)) return false;
  }
  int64_t devices = (idle[kGpu] + (with_releasing ? releasing[kGpu] : 0)) / kGpuUnit;
  for (const auto& group : nodes_[node].groups) devices += FitsOnGroup(id, node, group);
  return devices >= cls.gpu.count;
}

}  // namespace coppice::engine
