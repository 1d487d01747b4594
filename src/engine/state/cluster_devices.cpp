#include <algorithm>

#include "engine/devices/device_names.h"
#include "engine/state/cluster.h"
#include "engine/state/status.h"

// Devices that claims serve, as part of nodes' GPUs and pods' requests (docs/behaviour/engine.md
// S-24).

namespace coppice::engine {

// Which resources device classes serve, and how many GPUs each node has in slices.
void Cluster::RefreshDevices() {
  if (!devices.changed) return;
  devices.changed = false;
  dra_backed.assign(resources.size(), false);
  for (const auto& [name, device_class] : devices.classes) {
    for (const std::string& resource :
         {device_class.extended_resource_name, "deviceclass.resource.kubernetes.io/" + name}) {
      for (int i = kPods + 1; i < resources.size(); ++i) {
        if (!resource.empty() && resources.Name(i) == resource) dra_backed[i] = true;
      }
    }
  }
  std::map<std::string, int64_t, std::less<>> gpus;
  for (const auto& [name, slice] : devices.slices) {
    if (!slice.node_name.empty() && NamesGpu(slice.driver, GpuNamesOf(configuration))) {
      gpus[slice.node_name] += static_cast<int64_t>(slice.devices.size());
    }
  }
  for (NodeId id = 0; id < static_cast<NodeId>(nodes.size()); ++id) {
    Node& node = nodes[id];
    if (!node.exists) continue;
    auto found = gpus.find(Text(node.name));
    const int64_t count = found == gpus.end() ? 0 : found->second;
    if (count == node.dra_gpus) continue;
    SetDraGpus(id, count);
    RebuildNode(id);
    nodes_changed_ = true;
  }
  for (TaskId id : tasks_with_claims_) RefreshClaims(id);
}

void Cluster::RefreshClaims(TaskId id) {
  Task& task = tasks[id];
  const std::string namespace_name(Text(ClassOf(task).namespace_name));
  std::vector<int32_t> claim_ids;
  std::vector<NameId> gpu_devices;
  int64_t count = 0;
  for (const auto& ref : task.extras->claims) {
    const int32_t claim_id = devices.Find(namespace_name, ref.claim_name);
    claim_ids.push_back(claim_id);
    if (claim_id == kNone) continue;
    const ResourceClaimSpec& claim = devices.claims[claim_id].spec;
    count += GpuDevices(claim, GpuNamesOf(configuration));
    auto given = task.extras->claim_allocations.find(ref.name);
    const ClaimAllocation* allocation = given != task.extras->claim_allocations.end()
                                            ? &given->second
                                        : claim.allocation ? &*claim.allocation
                                                           : nullptr;
    if (!allocation) continue;
    for (const auto& device : allocation->devices) {
      if (!NamesGpu(device.driver, GpuNamesOf(configuration))) continue;
      gpu_devices.push_back(names.Intern(device.driver + "/" + device.pool + "/" + device.device));
    }
  }
  const bool charged = task.node != kNone && IsUsed(task.status);
  if (charged) Uncharge(task.node, id, task.status, task.groups);
  CountForeign(task, -1);
  task.extras->claim_ids = std::move(claim_ids);
  task.extras->devices = std::move(gpu_devices);
  task.cls = classes.Classify(ClassOf(task).shape, count, task.legacy_mig);
  CountForeign(task, +1);
  if (charged) Charge(task.node, id, task.status, task.groups);
}

}  // namespace coppice::engine
