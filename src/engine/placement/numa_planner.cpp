#include "engine/placement/numa_planner.h"

#include <algorithm>
#include <numeric>

#include "engine/state/status.h"

namespace coppice::engine {
namespace {

bool Covers(const Amounts& have, const Amounts& need) {
  for (int i = 0; i < static_cast<int>(need.size()); ++i) {
    if (need[i] > 0 && At(have, i) < need[i]) return false;
  }
  return true;
}

bool Nothing(const Amounts& need) {
  return std::all_of(need.begin(), need.end(), [](int64_t amount) { return amount <= 0; });
}

}  // namespace

NumaPlanner::NumaPlanner(Session& session) : session_(session), cluster_(session.cluster) {
  for (NodeId id : cluster_.node_order) {
    const auto& numa = cluster_.nodes[id].numa;
    if (numa) max_zones_ = std::max(max_zones_, static_cast<int>(numa->zone_names.size()));
  }
  StampPlacements();
}

void NumaPlanner::StampPlacements() {
  for (NodeId id : cluster_.node_order) {
    Node& node = cluster_.nodes[id];
    if (!node.numa) continue;
    NodeNuma& numa = *node.numa;
    if (session_.plugins.numa_reconstruct) numa.available = numa.allocatable;
    for (TaskId task_id = node.first_task; task_id != kNone;
         task_id = cluster_.tasks[task_id].next_on_node) {
      Task& task = cluster_.tasks[task_id];
      if (!task.extras || !IsUsed(task.status)) continue;
      std::vector<ZoneAmount> zones;
      bool known = true;
      for (const auto& given : task.extras->given_zones) {
        auto found = std::find(numa.zone_names.begin(), numa.zone_names.end(),
                               cluster_.names.Find(given.zone));
        known &= found != numa.zone_names.end();
        if (!known) break;
        ZoneAmount zone{static_cast<int32_t>(found - numa.zone_names.begin()), {}};
        for (const auto& [name, quantity] : given.amount) {
          const auto index = cluster_.resources.IndexOf(name);
          if (!index) continue;
          zone.amounts.resize(std::max<size_t>(zone.amounts.size(), *index + 1));
          zone.amounts[*index] = *index == kCpu   ? quantity.MilliValue()
                                 : *index == kGpu ? quantity.Value() * kGpuUnit
                                                  : quantity.Value();
        }
        zones.push_back(std::move(zone));
      }
      task.extras->zones = known ? zones : std::vector<ZoneAmount>{};
      if (session_.plugins.numa_reconstruct && IsActive(task.status)) Charge(task_id, id, -1);
    }
  }
}

bool NumaPlanner::Ignored(int resource) const {
  const auto& ignored = session_.plugins.numa_ignored;
  const std::string name = resource == kGpu ? "nvidia.com/gpu" : cluster_.resources.Name(resource);
  return std::find(ignored.begin(), ignored.end(), name) != ignored.end();
}

// The part of a request that zones report and the policy aligns.
Amounts NumaPlanner::Aligned(const Amounts& request, bool guaranteed, const NodeNuma& numa) const {
  Amounts aligned(request.size());
  for (int i = 0; i < static_cast<int>(request.size()); ++i) {
    if (i >= static_cast<int>(numa.reported.size()) || !numa.reported[i] || Ignored(i)) continue;
    const bool device =
        i != kCpu && i != kMemory && !cluster_.resources.Name(i).starts_with("hugepages-");
    if (guaranteed || device) aligned[i] = request[i];
  }
  // Only whole cores are pinned.
  if (aligned.size() > kCpu && aligned[kCpu] % 1000 != 0) aligned[kCpu] = 0;
  return aligned;
}

NumaPlanner::Needs NumaPlanner::NeedsOf(TaskId id, const NodeNuma& numa) const {
  const PodClass& cls = cluster_.ClassOf(id);
  const bool guaranteed = cls.shape->qos == QosClass::kGuaranteed;
  Needs needs;
  Amounts sum, init_peak, sidecars;
  for (const auto& container : cls.shape->containers) {
    Amounts request;
    cluster_.resources.Add(container.requests, request);
    request = Aligned(request, guaranteed, numa);
    if (container.kind == ContainerKind::kInit) {
      needs.alone.push_back(request);
      Amounts peak = sidecars;
      AddTo(peak, request);
      MaxTo(init_peak, peak);
    } else {
      needs.together.push_back(request);
      AddTo(sum, request);
      if (container.kind == ContainerKind::kSidecar) AddTo(sidecars, request);
    }
  }
  if (numa.scope == NumaScope::kPod) {
    MaxTo(sum, init_peak);
    needs.together = {sum};
    needs.alone.clear();
  }
  std::erase_if(needs.together, Nothing);
  std::erase_if(needs.alone, Nothing);
  needs.handled = guaranteed || !needs.together.empty() || !needs.alone.empty();
  return needs;
}

std::optional<std::vector<int>> NumaPlanner::Restricted(const NodeNuma& numa,
                                                        const Zones& available,
                                                        const Amounts& need) {
  const int zones = static_cast<int>(available.size());
  int width = 0;
  for (int i = 0; i < static_cast<int>(need.size()); ++i) {
    if (need[i] <= 0) continue;
    std::vector<int64_t> sizes;
    for (const auto& row : numa.allocatable) sizes.push_back(At(row, i));
    std::sort(sizes.rbegin(), sizes.rend());
    int64_t sum = 0;
    int own = 0;
    while (own < zones && sum < need[i]) sum += sizes[own++];
    if (sum < need[i] || (width != 0 && own != width)) return std::nullopt;
    width = own;
  }
  std::vector<int> mask(width);
  std::iota(mask.begin(), mask.end(), 0);
  while (true) {
    Amounts sum;
    for (int zone : mask) AddTo(sum, available[zone]);
    if (Covers(sum, need)) return mask;
    int at = width - 1;
    while (at >= 0 && mask[at] == zones - width + at) --at;
    if (at < 0) return std::nullopt;
    ++mask[at];
    for (int i = at + 1; i < width; ++i) mask[i] = mask[i - 1] + 1;
  }
}

std::optional<std::vector<int>> NumaPlanner::BestEffort(const Zones& available,
                                                        const Amounts& need) {
  std::vector<int> mask;
  Amounts unmet = need;
  while (!Nothing(unmet)) {
    int best = -1;
    double most = 0;
    for (int zone = 0; zone < static_cast<int>(available.size()); ++zone) {
      if (std::find(mask.begin(), mask.end(), zone) != mask.end()) continue;
      double covered = 0;
      for (int i = 0; i < static_cast<int>(unmet.size()); ++i) {
        if (unmet[i] <= 0) continue;
        covered +=
            static_cast<double>(std::min(unmet[i], std::max<int64_t>(At(available[zone], i), 0))) /
            static_cast<double>(need[i]);
      }
      if (covered > most) most = covered, best = zone;
    }
    if (best < 0) return std::nullopt;
    mask.push_back(best);
    for (int i = 0; i < static_cast<int>(unmet.size()); ++i) {
      unmet[i] -= std::max<int64_t>(At(available[best], i), 0);
    }
  }
  std::sort(mask.begin(), mask.end());
  return mask;
}

std::optional<std::vector<int>> NumaPlanner::Choose(const NodeNuma& numa, const Zones& available,
                                                    const Amounts& need) {
  if (numa.policy == NumaPolicy::kSingleNode) {
    for (int zone = 0; zone < static_cast<int>(available.size()); ++zone) {
      if (Covers(available[zone], need)) return std::vector<int>{zone};
    }
    return std::nullopt;
  }
  if (numa.policy == NumaPolicy::kRestricted) return Restricted(numa, available, need);
  return BestEffort(available, need);
}

void NumaPlanner::Draw(const std::vector<int>& mask, const Amounts& need, Zones& available,
                       std::vector<ZoneAmount>& placement) {
  for (int i = 0; i < static_cast<int>(need.size()); ++i) {
    int64_t left = need[i];
    for (int zone : mask) {
      const int64_t taken = std::min(left, std::max<int64_t>(At(available[zone], i), 0));
      if (taken <= 0) continue;
      available[zone][i] -= taken;
      left -= taken;
      auto found = std::find_if(placement.begin(), placement.end(),
                                [&](const ZoneAmount& entry) { return entry.zone == zone; });
      if (found == placement.end()) found = placement.insert(found, {zone, {}});
      found->amounts.resize(std::max<size_t>(found->amounts.size(), i + 1));
      found->amounts[i] += taken;
    }
  }
}

std::optional<std::vector<ZoneAmount>> NumaPlanner::Plan(TaskId task, NodeId node) const {
  const auto& numa = cluster_.nodes[node].numa;
  std::vector<ZoneAmount> placement;
  if (!numa || numa->policy == NumaPolicy::kNone || numa->zone_names.empty()) return placement;
  const Needs needs = NeedsOf(task, *numa);
  if (!needs.handled) return placement;
  for (const auto& need : needs.alone) {
    if (!Choose(*numa, numa->available, need)) return std::nullopt;
  }
  Zones available = numa->available;
  for (const auto& need : needs.together) {
    const auto mask = Choose(*numa, available, need);
    if (!mask) return std::nullopt;
    Draw(*mask, need, available, placement);
  }
  std::sort(placement.begin(), placement.end(),
            [](const auto& a, const auto& b) { return a.zone < b.zone; });
  return placement;
}

bool NumaPlanner::Allowed(TaskId task, NodeId node) const {
  const auto& numa = cluster_.nodes[node].numa;
  const bool refuses =
      numa && (numa->policy == NumaPolicy::kRestricted || numa->policy == NumaPolicy::kSingleNode);
  return !refuses || Plan(task, node).has_value();
}

void NumaPlanner::PrepareScore(TaskId) {}

double NumaPlanner::Score(TaskId task, NodeId node) const {
  if (max_zones_ == 0) return 0;
  const PodClass& cls = cluster_.ClassOf(task);
  const auto& numa = cluster_.nodes[node].numa;
  const bool guaranteed = cls.shape->qos == QosClass::kGuaranteed;
  if (!numa) return guaranteed ? 100.0 / max_zones_ : 0;
  const bool handled = NeedsOf(task, *numa).handled;
  if (!guaranteed && !handled) return 0;
  if (numa->policy == NumaPolicy::kNone || !handled) {
    return 100.0 / static_cast<double>(std::max<size_t>(numa->zone_names.size(), 1));
  }
  const auto placement = Plan(task, node);
  if (!placement) return 0;
  return 100.0 / static_cast<double>(std::max<size_t>(placement->size(), 1));
}

void NumaPlanner::Charge(TaskId id, NodeId node, int sign) {
  const Task& task = cluster_.tasks[id];
  auto& numa = cluster_.nodes[node].numa;
  if (!numa || !task.extras) return;
  for (const auto& zone : task.extras->zones) {
    for (size_t i = 0; i < zone.amounts.size() && i < numa->available[zone.zone].size(); ++i) {
      if (zone.amounts[i] == 0) continue;
      cluster_.journal.Save(numa->available[zone.zone][i]);
      numa->available[zone.zone][i] += sign * zone.amounts[i];
    }
  }
}

void NumaPlanner::Describe(TaskId id, BindExtras& extras) const {
  const Task& task = cluster_.tasks[id];
  if (!task.extras) return;
  const auto& numa = cluster_.nodes[task.node].numa;
  for (const auto& zone : task.extras->zones) {
    NumaPlacement placement{std::string(cluster_.Text(numa->zone_names[zone.zone])), {}};
    for (int i = 0; i < static_cast<int>(zone.amounts.size()); ++i) {
      if (zone.amounts[i] == 0) continue;
      const std::string name = i == kGpu ? "nvidia.com/gpu" : cluster_.resources.Name(i);
      placement.amount[name] = i == kCpu   ? base::Quantity::FromMilli(zone.amounts[i])
                               : i == kGpu ? base::Quantity::FromUnits(zone.amounts[i] / kGpuUnit)
                                           : base::Quantity::FromUnits(zone.amounts[i]);
    }
    extras.numa_zones.push_back(std::move(placement));
  }
}

}  // namespace coppice::engine
