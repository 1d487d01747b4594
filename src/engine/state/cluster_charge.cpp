#include <algorithm>
#include <cmath>

#include "engine/state/cluster.h"

// How pods are charged to nodes and queues (docs/behaviour/engine.md S-22 to S-24).

namespace coppice::engine {
namespace {

int64_t PackCharge(int64_t gpu, TaskStatus status, int sign) {
  return gpu << 8 | static_cast<int64_t>(status) << 1 | (sign > 0);
}

}  // namespace

void Cluster::Reverse(uint8_t operation, int32_t a, int32_t b, int64_t c) {
  switch (operation) {
    case kSetStatus:
      SetStatus(a, static_cast<TaskStatus>(b));
      break;
    case kChargePlain:
      AddAmounts(a, classes[b], c >> 8, static_cast<TaskStatus>(c >> 1 & 0x7f), c & 1 ? -1 : 1);
      break;
    case kChargeQueue:
      ChargeQueue(tasks[a].job, a, b, static_cast<int>(-c));
      break;
    case kShrinkPlaces:
      places.pop_back();
      break;
    case kAddIdle:
      AddIdle(a, b, -c);
      break;
  }
}

void Cluster::SetStatus(TaskId id, TaskStatus status) {
  Task& task = tasks[id];
  journal.Operation(kSetStatus, id, static_cast<int32_t>(task.status), 0);
  if (task.job != kNone && task.pod_set != kNone) {
    StatusCounts& counts = jobs[task.job].pod_sets[task.pod_set].counts;
    counts.Add(task.status, -1);
    counts.Add(status, +1);
    ++job_versions[task.job];
    if (in_cycle) moved.push_back(task.job);
  }
  task.status = status;
}

void Cluster::AddAmounts(NodeId node, const PodClass& cls, int64_t gpu, TaskStatus status,
                         int sign) {
  auto idle = amounts.idle(node), used = amounts.used(node), releasing = amounts.releasing(node);
  auto allocatable = amounts.allocatable(node);
  if (in_cycle) charged.push_back(node);
  const int size = static_cast<int>(cls.request.size());
  for (int i = 0; i < size; ++i) {
    const int64_t amount = i == kGpu ? gpu : cls.request[i];
    if (amount == 0 || allocatable[i] == 0) continue;
    used[i] += sign * amount;
    if (status == TaskStatus::kPipelined) {
      releasing[i] -= sign * amount;
    } else {
      idle[i] -= sign * amount;
      if (status == TaskStatus::kReleasing) releasing[i] += sign * amount;
    }
  }
}

void Cluster::ApplyCharge(NodeId id, TaskId task_id, TaskStatus status, int32_t groups, int sign) {
  Node& node = nodes[id];
  if (!node.exists) return;
  const Task& task = tasks[task_id];
  const PodClass& cls = ClassOf(task);
  int64_t gpu = cls.reservation || cls.gpu.shared() ? 0 : AcceptedGpu(task, id);
  if (task.extras && !task.extras->devices.empty()) gpu = DeviceDelta(node, task, gpu, sign);
  AddAmounts(id, cls, gpu, status, sign);
  journal.Operation(kChargePlain, id, task.cls, PackCharge(gpu, status, sign));
  if (cls.gpu.shared()) ChargeGroups(id, MemoryOn(cls.gpu, node.gpu_memory), status, groups, sign);
  if (cls.gpu.legacy_mig) {
    journal.Save(node.legacy_mig_tasks);
    node.legacy_mig_tasks += sign;
  }
  if (affinity_in_use || cls.has_host_ports) ChargePresence(id, task, sign);
}

// A device that several pods of a node share counts once.
int64_t Cluster::DeviceDelta(Node& node, const Task& task, int64_t gpu, int sign) {
  if (gpu == 0) return 0;
  journal.SaveObject(node.devices);
  for (NameId device : task.extras->devices) {
    auto found = std::find_if(node.devices.begin(), node.devices.end(),
                              [&](const auto& entry) { return entry.first == device; });
    if (found == node.devices.end()) found = &node.devices.Add({device, 0});
    const int32_t others = sign > 0 ? found->second : found->second - 1;
    found->second += sign;
    if (others > 0) gpu = std::max<int64_t>(gpu - kGpuUnit, 0);
  }
  return gpu;
}

int64_t Cluster::UsedDevices(NodeId node) const {
  int64_t devices_used = amounts.used(node)[kGpu] / kGpuUnit;
  for (const auto& group : nodes[node].groups) devices_used += group.used > 0;
  return devices_used;
}

void Cluster::ChargeGroups(NodeId id, int64_t memory, TaskStatus status, int32_t list, int sign) {
  Node& node = nodes[id];
  journal.SaveObject(node.groups);
  journal.Save(amounts.idle(id)[kGpu]);
  journal.Save(amounts.releasing(id)[kGpu]);
  for (NameId group_id : name_lists[list]) {
    auto group = std::find_if(node.groups.begin(), node.groups.end(),
                              [&](const GpuGroup& g) { return g.id == group_id; });
    if (group == node.groups.end()) {
      group = &node.groups.Add({});
      group->id = group_id;
      group->fresh = journal.recording();
    }
    sign > 0 ? AddToGroup(id, *group, memory, status) : RemoveFromGroup(id, *group, memory, status);
  }
}

void Cluster::AddToGroup(NodeId node, GpuGroup& group, int64_t memory, TaskStatus status) {
  int64_t& idle = amounts.idle(node)[kGpu];
  int64_t& releasing = amounts.releasing(node)[kGpu];
  const auto oversubscribed = [&] {
    return nodes[node].gpu_count < idle / kGpuUnit + UsedDevices(node);
  };
  group.used += memory;
  if (status == TaskStatus::kReleasing) {
    group.releasing += memory;
    group.allocated += memory;
    group.known_allocated = true;
    if (group.used == group.releasing) {
      if (!group.marked) releasing += kGpuUnit;
      group.marked = true;
      if (oversubscribed()) idle -= kGpuUnit;
    }
  } else if (status == TaskStatus::kPipelined) {
    group.releasing -= memory;
    if (group.used - memory == group.releasing + memory) releasing -= kGpuUnit;
  } else {
    group.allocated += memory;
    group.known_allocated = true;
    if (group.used <= memory && oversubscribed()) idle -= kGpuUnit;
    if (group.marked) {
      releasing -= kGpuUnit;
      group.marked = false;
    }
  }
}

void Cluster::RemoveFromGroup(NodeId node, GpuGroup& group, int64_t memory, TaskStatus status) {
  int64_t& idle = amounts.idle(node)[kGpu];
  int64_t& releasing = amounts.releasing(node)[kGpu];
  const auto room = [&] { return nodes[node].gpu_count >= idle / kGpuUnit + UsedDevices(node); };
  group.used -= memory;
  if (status == TaskStatus::kReleasing) {
    group.releasing -= memory;
    group.allocated -= memory;
    if (group.used <= 0) {
      if (room()) idle += kGpuUnit;
      if (group.marked) releasing -= kGpuUnit;
      group.marked = false;
    }
  } else if (status == TaskStatus::kPipelined) {
    group.releasing += memory;
    if (group.used + memory == group.releasing - memory ||
        (group.used == 0 && group.releasing == 0)) {
      releasing += kGpuUnit;
    }
  } else {
    group.allocated -= memory;
    if (group.used <= 0 && room()) idle += kGpuUnit;
    if (group.used > 0 && group.used == group.releasing && !group.marked) {
      releasing += kGpuUnit;
      group.marked = true;
    }
  }
}

void Cluster::ChargePresence(NodeId id, const Task& task, int sign) {
  Node& node = nodes[id];
  const PodClass& cls = ClassOf(task);
  if (affinity_in_use) {
    journal.SaveObject(node.presence);
    auto found = std::find_if(node.presence.begin(), node.presence.end(), [&](const auto& entry) {
      return entry.cls == task.cls && entry.labels == task.labels;
    });
    if (found == node.presence.end()) {
      found = &node.presence.Add({task.cls, task.labels, 0});
    }
    found->count += sign;
  }
  if (!cls.has_host_ports) return;
  journal.SaveObject(node.ports);
  for (const auto& port : cls.host_ports) {
    auto found = std::find_if(node.ports.begin(), node.ports.end(), [&](const PortUse& use) {
      return use.port.ip == port.ip && use.port.port == port.port &&
             use.port.protocol == port.protocol;
    });
    if (found == node.ports.end()) found = &node.ports.Add({port, 0});
    found->count += sign;
  }
}

void Cluster::RebuildNode(NodeId id) {
  Node& node = nodes[id];
  if (!node.exists) return;
  auto allocatable = amounts.allocatable(id);
  std::copy(allocatable.begin(), allocatable.end(), amounts.idle(id).begin());
  std::fill(amounts.used(id).begin(), amounts.used(id).end(), 0);
  std::fill(amounts.releasing(id).begin(), amounts.releasing(id).end(), 0);
  node.groups.clear();
  node.presence.clear();
  node.ports.clear();
  node.devices.clear();
  node.legacy_mig_tasks = 0;
  std::vector<TaskId> here;
  for (TaskId task = node.first_task; task != kNone; task = tasks[task].next_on_node) {
    if (IsUsed(tasks[task].status)) here.push_back(task);
  }
  // Reservation pods first, as they hold the GPUs that the others share; then by arrival.
  std::sort(here.begin(), here.end(), [&](TaskId a, TaskId b) {
    return std::make_tuple(!ClassOf(a).reservation, a) <
           std::make_tuple(!ClassOf(b).reservation, b);
  });
  for (TaskId task : here) Charge(id, task, tasks[task].status, tasks[task].groups);
}

void Cluster::ChargeQueue(JobId job_id, TaskId task_id, NodeId node, int sign) {
  const Job& job = jobs[job_id];
  if (job.queue == kNone) return;
  const Sums accepted = AcceptedOf(tasks[task_id], node);
  journal.Operation(kChargeQueue, task_id, node, sign);
  for (QueueId queue = job.queue; queue != kNone; queue = queues[queue].parent) {
    queues[queue].allocated.Add(accepted, sign);
    if (!job.preemptible) queues[queue].allocated_non_preemptible.Add(accepted, sign);
  }
}

}  // namespace coppice::engine
