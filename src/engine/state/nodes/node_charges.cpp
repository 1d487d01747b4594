#include <algorithm>
#include <cmath>

#include "engine/state/nodes/node_table.h"
#include "engine/state/values/operations.h"

// How pods are charged to nodes (docs/behaviour/engine.md S-22 to S-24).

namespace coppice::engine {
namespace {

int64_t PackCharge(int64_t gpu, TaskStatus status, int sign) {
  return gpu << 8 | static_cast<int64_t>(status) << 1 | (sign > 0);
}

}  // namespace

void NodeTable::AddAmounts(NodeId node, const PodClass& cls, int64_t gpu, TaskStatus status,
                           int sign) {
  auto idle = amounts_.idle(node), used = amounts_.used(node), releasing = amounts_.releasing(node);
  auto allocatable = amounts_.allocatable(node);
  context_.log.Charged(node);
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

void NodeTable::Charge(NodeId id, const Task& task, const PodClass& cls, TaskStatus status,
                       int32_t groups, int sign) {
  Node& node = nodes_[id];
  if (!node.exists) return;
  int64_t gpu = cls.reservation || cls.gpu.shared() ? 0 : cls.accepted_gpu;
  if (task.extras && !task.extras->devices.empty()) gpu = DeviceDelta(node, task, gpu, sign);
  AddAmounts(id, cls, gpu, status, sign);
  context_.journal.Operation(kChargePlain, id, task.cls, PackCharge(gpu, status, sign));
  if (cls.gpu.shared()) ChargeGroups(id, MemoryOn(cls.gpu, node.gpu_memory), status, groups, sign);
  if (cls.gpu.legacy_mig) {
    context_.journal.Save(node.legacy_mig_tasks);
    node.legacy_mig_tasks += sign;
  }
  if (counts_presence_ || cls.has_host_ports) ChargePresence(id, task, cls, sign);
}

void NodeTable::ReverseCharge(NodeId node, const PodClass& cls, int64_t noted) {
  AddAmounts(node, cls, noted >> 8, static_cast<TaskStatus>(noted >> 1 & 0x7f), noted & 1 ? -1 : 1);
}

void NodeTable::AddIdle(NodeId node, int resource, int64_t amount) {
  context_.journal.Operation(kAddIdle, node, resource, amount);
  amounts_.idle(node)[resource] += amount;
  context_.log.Charged(node);
}

// A device that several pods of a node share counts once.
int64_t NodeTable::DeviceDelta(Node& node, const Task& task, int64_t gpu, int sign) {
  if (gpu == 0) return 0;
  context_.journal.SaveObject(node.devices);
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

int64_t NodeTable::UsedDevices(NodeId node) const {
  int64_t devices_used = amounts_.used(node)[kGpu] / kGpuUnit;
  for (const auto& group : nodes_[node].groups) devices_used += group.used > 0;
  return devices_used;
}

void NodeTable::ChargeGroups(NodeId id, int64_t memory, TaskStatus status, int32_t list, int sign) {
  Node& node = nodes_[id];
  context_.journal.SaveObject(node.groups);
  context_.journal.Save(amounts_.idle(id)[kGpu]);
  context_.journal.Save(amounts_.releasing(id)[kGpu]);
  for (NameId group_id : context_.name_lists[list]) {
    auto group = std::find_if(node.groups.begin(), node.groups.end(),
                              [&](const GpuGroup& g) { return g.id == group_id; });
    if (group == node.groups.end()) {
      group = &node.groups.Add({});
      group->id = group_id;
      group->fresh = context_.journal.recording();
    }
    sign > 0 ? AddToGroup(id, *group, memory, status) : RemoveFromGroup(id, *group, memory, status);
  }
}

void NodeTable::AddToGroup(NodeId node, GpuGroup& group, int64_t memory, TaskStatus status) {
  int64_t& idle = amounts_.idle(node)[kGpu];
  int64_t& releasing = amounts_.releasing(node)[kGpu];
  const auto oversubscribed = [&] {
    return nodes_[node].gpu_count < idle / kGpuUnit + UsedDevices(node);
  };
  group.used += memory;
  if (status == TaskStatus::kReleasing) {
    group.releasing += memory;
    group.allocated += memory;
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
    if (group.used <= memory && oversubscribed()) idle -= kGpuUnit;
    if (group.marked) {
      releasing -= kGpuUnit;
      group.marked = false;
    }
  }
}

void NodeTable::RemoveFromGroup(NodeId node, GpuGroup& group, int64_t memory, TaskStatus status) {
  int64_t& idle = amounts_.idle(node)[kGpu];
  int64_t& releasing = amounts_.releasing(node)[kGpu];
  const auto room = [&] { return nodes_[node].gpu_count >= idle / kGpuUnit + UsedDevices(node); };
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

void NodeTable::ChargePresence(NodeId id, const Task& task, const PodClass& cls, int sign) {
  Node& node = nodes_[id];
  if (counts_presence_) {
    context_.journal.SaveObject(node.presence);
    auto found = std::find_if(node.presence.begin(), node.presence.end(), [&](const auto& entry) {
      return entry.cls == task.cls && entry.labels == task.labels;
    });
    if (found == node.presence.end()) {
      found = &node.presence.Add({task.cls, task.labels, 0});
    }
    found->count += sign;
  }
  if (!cls.has_host_ports) return;
  context_.journal.SaveObject(node.ports);
  for (const auto& port : cls.host_ports) {
    auto found = std::find_if(node.ports.begin(), node.ports.end(), [&](const PortUse& use) {
      return use.port.ip == port.ip && use.port.port == port.port &&
             use.port.protocol == port.protocol;
    });
    if (found == node.ports.end()) found = &node.ports.Add({port, 0});
    found->count += sign;
  }
}

void NodeTable::ClearCharges(NodeId id) {
  Node& node = nodes_[id];
  const auto allocatable = amounts_.allocatable(id);
  std::copy(allocatable.begin(), allocatable.end(), amounts_.idle(id).begin());
  std::fill(amounts_.used(id).begin(), amounts_.used(id).end(), 0);
  std::fill(amounts_.releasing(id).begin(), amounts_.releasing(id).end(), 0);
  node.groups.clear();
  node.presence.clear();
  node.ports.clear();
  node.devices.clear();
  node.legacy_mig_tasks = 0;
}

bool NodeTable::Overcommitted(NodeId id) const {
  const auto idle = amounts_.idle(id);
  return nodes_[id].exists &&
         std::any_of(idle.begin(), idle.end(), [](int64_t left) { return left < 0; });
}

void NodeTable::AddToZone(NodeId id, int zone, size_t resource, int64_t amount) {
  int64_t& available = nodes_[id].numa->available[zone][resource];
  context_.journal.Save(available);
  available += amount;
}

}  // namespace coppice::engine
