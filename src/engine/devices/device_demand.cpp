#include "engine/devices/device_demand.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "engine/devices/device_selectors.h"

namespace coppice::engine {
namespace {

using Demands = std::map<std::string, DeviceDemand>;
using DeviceId = std::array<std::string, 3>;  // Driver, pool, name.

Demands Requested(const Cluster& cluster, const std::vector<TaskId>& tasks) {
  Demands demands;
  std::set<int32_t> counted;
  for (const TaskId id : tasks) {
    const auto& extras = cluster.tasks()[id].extras;
    for (const int32_t claim_id : extras ? extras->claim_ids : std::vector<int32_t>()) {
      if (claim_id == kNone || !counted.insert(claim_id).second) continue;
      const ClaimState& claim = cluster.devices().claims()[claim_id];
      if (claim.allocation) continue;
      for (const DeviceRequestSpec& request : claim.spec.requests) {
        const bool all = request.mode == DeviceAllocationMode::kAll;
        demands[request.device_class].requested += all ? 1 : request.count;
      }
    }
  }
  return demands;
}

void Take(std::set<DeviceId>& used, const std::optional<ClaimAllocation>& allocation) {
  if (!allocation) return;
  for (const AllocatedDevice& device : allocation->devices) {
    if (!device.admin_access) used.insert({device.driver, device.pool, device.device});
  }
}

std::set<DeviceId> Used(const Cluster& cluster) {
  std::set<DeviceId> used;
  for (const ClaimState& claim : cluster.devices().claims()) {
    if (claim.exists) Take(used, claim.allocation);
  }
  for (const Task& task : cluster.tasks()) {
    if (task.exists && task.extras) Take(used, task.extras->extended_claim);
  }
  return used;
}

void CountFree(const Cluster& cluster, Demands& demands) {
  const std::set<DeviceId> used = Used(cluster);
  std::map<std::pair<std::string, std::string>, int64_t> generations;
  for (const auto& [name, slice] : cluster.devices().slices()) {
    int64_t& newest = generations[{slice.driver, slice.pool}];
    newest = std::max(newest, slice.pool_generation);
  }
  DeviceSelectors selectors;
  std::map<std::pair<std::string, std::string>, DeviceDemand> by_node;  // Class, node.
  for (const auto& [name, slice] : cluster.devices().slices()) {
    if (slice.pool_generation != generations[{slice.driver, slice.pool}]) continue;
    for (const DeviceSpec& device : slice.devices) {
      const bool taken = used.contains({slice.driver, slice.pool, device.name});
      for (auto& [device_class, demand] : demands) {
        const auto spec = cluster.devices().classes().find(device_class);
        if (spec == cluster.devices().classes().end()) continue;
        if (!selectors.Match(slice, device, spec->second.cel_selectors)) continue;
        DeviceDemand& here = by_node[{device_class, slice.node_name}];
        demand.free += !taken;
        demand.free_on_node = std::max(demand.free_on_node, here.free += !taken);
        demand.all_on_node = std::max(demand.all_on_node, ++here.all_on_node);
      }
    }
  }
}

}  // namespace

Demands DeviceDemands(const Cluster& cluster, const std::vector<TaskId>& tasks) {
  Demands demands = Requested(cluster, tasks);
  if (!demands.empty()) CountFree(cluster, demands);
  return demands;
}

}  // namespace coppice::engine
