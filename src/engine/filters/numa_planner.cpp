#include "engine/filters/numa_planner.h"

#include <algorithm>
#include <numeric>

#include "engine/state/jobs/status.h"

namespace coppice::engine {
namespace {

constexpr double kOneZone = 100;

bool Covers(const Amounts& have, const Amounts& need) {
  for (int i = 0; i < static_cast<int>(need.size()); ++i) {
    if (need[i] > 0 && At(have, i) < need[i]) return false;
  }
  return true;
}

bool Nothing(const Amounts& need) {
  return std::all_of(need.begin(), need.end(), [](int64_t amount) { return amount <= 0; });
}

bool ByZone(const ZoneAmount& a, const ZoneAmount& b) { return a.zone < b.zone; }

}  // namespace

NumaPlanner::NumaPlanner(Session& session) : session_(session), cluster_(session.cluster) {
  for (const auto& name : session.plugins.numa_ignored) {
    ignored_.insert(name.ends_with("gpu") ? "gpu" : name);
  }
  for (NodeId id : cluster_.node_order()) {
    const auto& numa = cluster_.nodes()[id].numa;
    if (!numa) continue;
    max_zones_ = std::max(max_zones_, static_cast<int>(numa->zone_names.size()));
    if (numa->policy == NumaPolicy::kNone) continue;
    for (int i = 0; i < static_cast<int>(numa->reported.size()); ++i) {
      if (Device(i, *numa)) devices_.insert(i);
    }
  }
  for (NodeId id : cluster_.node_order()) {
    if (cluster_.nodes()[id].numa) StampPlacements(id);
  }
}

// Every pod that is known to run in a zone is charged to it. Only pods whose zones this plugin
// would have chosen free them when they leave.
void NumaPlanner::StampPlacements(NodeId id) {
  const NodeNuma& numa = *cluster_.nodes()[id].numa;
  const bool rebuilds = session_.plugins.numa_reconstruct && numa.policy != NumaPolicy::kNone;
  if (rebuilds) cluster_.FreeZones(id);
  for (TaskId task_id = cluster_.tasks().FirstOn(id); task_id != kNone;
       task_id = cluster_.tasks()[task_id].next_on_node) {
    const Task& task = cluster_.tasks()[task_id];
    if (!task.extras || !IsUsed(task.status)) continue;
    cluster_.SetZones(task_id, ZonesOf(task.extras->given_zones, numa));
    if (rebuilds && IsActive(task.status)) Charge(task_id, id, -1);
    if (task.job == kNone || !Handles(task_id, numa)) cluster_.SetZones(task_id, {});
  }
}

std::vector<ZoneAmount> NumaPlanner::ZonesOf(const std::vector<NumaPlacement>& record,
                                             const NodeNuma& numa) const {
  std::vector<ZoneAmount> zones;
  for (const auto& given : record) {
    auto found = std::find(numa.zone_names.begin(), numa.zone_names.end(),
                           cluster_.names().Find(given.zone));
    if (found == numa.zone_names.end()) return {};
    zones.push_back(
        {static_cast<int32_t>(found - numa.zone_names.begin()), PlainAmounts(given.amount)});
  }
  std::sort(zones.begin(), zones.end(), ByZone);
  return zones;
}

// In the units of zones, which differ from those of nodes.
Amounts NumaPlanner::PlainAmounts(const ResourceList& list) const {
  Amounts amounts;
  for (const auto& [name, quantity] : list) {
    const auto index = cluster_.ResourceOf(name);
    if (!index) continue;
    amounts.resize(std::max<size_t>(amounts.size(), *index + 1));
    amounts[*index] += *index == kCpu   ? quantity.MilliValue()
                       : *index == kGpu ? quantity.Value() * kGpuUnit
                                        : quantity.Value();
  }
  return amounts;
}

bool NumaPlanner::Device(int resource, const NodeNuma& numa) const {
  if (numa.NameOf(resource) == 0 || ForGuaranteedOnly(resource)) return false;
  const auto& ignored = session_.plugins.numa_ignored;
  const auto name = cluster_.Text(numa.NameOf(resource));
  return std::find(ignored.begin(), ignored.end(), name) == ignored.end();
}

bool NumaPlanner::ForGuaranteedOnly(int resource) const {
  return resource == kCpu || resource == kMemory ||
         cluster_.resources().Name(resource).starts_with("hugepages-");
}

bool NumaPlanner::Guaranteed(TaskId id) const {
  return cluster_.ClassOf(id).shape->qos == QosClass::kGuaranteed;
}

bool NumaPlanner::Handles(TaskId id, const NodeNuma& numa) const {
  if (numa.policy == NumaPolicy::kNone) return false;
  if (Guaranteed(id)) return true;
  const Amounts& request = cluster_.ClassOf(id).request;
  for (int i = 0; i < static_cast<int>(request.size()); ++i) {
    if (request[i] > 0 && Device(i, numa)) return true;
  }
  return false;
}

bool NumaPlanner::Aligns(TaskId id) const {
  const Amounts& request = cluster_.ClassOf(id).request;
  return Guaranteed(id) || std::any_of(devices_.begin(), devices_.end(),
                                       [&](int device) { return At(request, device) > 0; });
}

// The part of a request that zones report and the policy aligns.
Amounts NumaPlanner::Aligned(const Amounts& request, bool guaranteed, const NodeNuma& numa) const {
  Amounts aligned(request.size());
  for (int i = 0; i < static_cast<int>(request.size()); ++i) {
    if (numa.NameOf(i) == 0 || ignored_.contains(cluster_.resources().Name(i))) continue;
    if (guaranteed || !ForGuaranteedOnly(i)) aligned[i] = request[i];
  }
  return aligned;
}

const NumaPlanner::Needs& NumaPlanner::RequestsOf(TaskId id) const {
  auto [found, added] = requests_.try_emplace(cluster_.tasks()[id].cls);
  if (!added) return found->second;
  const PodShape& shape = *cluster_.ClassOf(id).shape;
  Needs& needs = found->second;
  Amounts init_peak, sidecars;
  const auto request_of = [&](const ContainerSpec& container) {
    Amounts request = PlainAmounts(container.requests);
    // Only whole cores are pinned.
    if (!request.empty() && request[kCpu] % 1000 != 0) request[kCpu] = 0;
    return request;
  };
  for (const auto& container : shape.containers) {
    if (container.kind == ContainerKind::kSidecar) {
      needs.together.push_back(request_of(container));
      AddTo(sidecars, needs.together.back());
    } else if (container.kind == ContainerKind::kInit) {
      needs.alone.push_back(request_of(container));
      Amounts peak = sidecars;
      AddTo(peak, needs.alone.back());
      MaxTo(init_peak, peak);
    }
  }
  // Sidecars start, and take their zones, before app containers.
  for (const auto& container : shape.containers) {
    if (container.kind == ContainerKind::kApp) needs.together.push_back(request_of(container));
  }
  for (const auto& request : needs.together) AddTo(needs.pod, request);
  MaxTo(needs.pod, init_peak);
  Amounts overhead = PlainAmounts(shape.overhead);
  if (!overhead.empty()) overhead[kCpu] = 0;
  AddTo(needs.pod, overhead);
  return needs;
}

NumaPlanner::Needs NumaPlanner::NeedsOf(TaskId id, const NodeNuma& numa) const {
  const Needs& requests = RequestsOf(id);
  const bool guaranteed = Guaranteed(id);
  const auto aligned = [&](const std::vector<Amounts>& given) {
    std::vector<Amounts> out;
    for (const auto& request : given) out.push_back(Aligned(request, guaranteed, numa));
    std::erase_if(out, Nothing);
    return out;
  };
  if (numa.scope == NumaScope::kPod) return {{}, aligned({requests.pod}), {}};
  return {{}, aligned(requests.together), aligned(requests.alone)};
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

// As in upstream, amounts of different resources are simply added up, so bytes outweigh devices;
// and the zone that covers most is used first.
std::optional<std::vector<int>> NumaPlanner::BestEffort(const Zones& available,
                                                        const Amounts& need) {
  std::vector<int> mask;
  Amounts unmet = need;
  const auto covered = [&](const Amounts& zone) {
    int64_t sum = 0;
    for (int i = 0; i < static_cast<int>(unmet.size()); ++i) {
      if (unmet[i] > 0) sum += std::min(unmet[i], At(zone, i)) / (i == kGpu ? kGpuUnit : 1);
    }
    return sum;
  };
  while (!Nothing(unmet)) {
    int best = -1;
    int64_t most = 0;
    for (int zone = 0; zone < static_cast<int>(available.size()); ++zone) {
      if (std::find(mask.begin(), mask.end(), zone) != mask.end()) continue;
      const int64_t sum = covered(available[zone]);
      if (sum > most) most = sum, best = zone;
    }
    if (best < 0) return std::nullopt;
    mask.push_back(best);
    for (int i = 0; i < static_cast<int>(unmet.size()); ++i) unmet[i] -= At(available[best], i);
  }
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
  const auto& numa = cluster_.nodes()[node].numa;
  std::vector<ZoneAmount> placement;
  if (!numa || !Handles(task, *numa)) return placement;
  const Needs needs = NeedsOf(task, *numa);
  for (const auto& need : needs.alone) {
    if (!Choose(*numa, numa->available, need)) return std::nullopt;
  }
  Zones available = numa->available;
  for (const auto& need : needs.together) {
    const auto mask = Choose(*numa, available, need);
    if (!mask) return std::nullopt;
    Draw(*mask, need, available, placement);
  }
  std::sort(placement.begin(), placement.end(), ByZone);
  return placement;
}

bool NumaPlanner::Allowed(TaskId task, NodeId node) const {
  const auto& numa = cluster_.nodes()[node].numa;
  const bool refuses =
      numa && (numa->policy == NumaPolicy::kRestricted || numa->policy == NumaPolicy::kSingleNode);
  return !refuses || Plan(task, node).has_value();
}

bool NumaPlanner::Filter(TaskId task, NodeId node, std::vector<std::string>* why) const {
  if (!session_.plugins.numa_predicate || Allowed(task, node)) return true;
  if (why) {
    why->emplace_back(
        "node cannot NUMA-align the pod's resources under its Topology Manager policy");
  }
  return false;
}

bool NumaPlanner::Scores(TaskId task) const {
  return session_.plugins.numa_scores && max_zones_ != 0 && Aligns(task);
}

double NumaPlanner::Score(TaskId task, NodeId node) const {
  const auto& numa = cluster_.nodes()[node].numa;
  if (!numa) return kOneZone / max_zones_;
  if (!Handles(task, *numa)) return kOneZone / static_cast<double>(numa->zone_names.size());
  const auto placement = Plan(task, node);
  if (!placement) return 0;
  return kOneZone / static_cast<double>(std::max<size_t>(placement->size(), 1));
}

void NumaPlanner::Charge(TaskId id, NodeId node, int sign) {
  const Task& task = cluster_.tasks()[id];
  const auto& numa = cluster_.nodes()[node].numa;
  if (!numa || !task.extras) return;
  for (const auto& zone : task.extras->zones) {
    for (size_t i = 0; i < zone.amounts.size() && i < numa->available[zone.zone].size(); ++i) {
      if (zone.amounts[i] == 0) continue;
      cluster_.AddToZone(node, zone.zone, i, sign * zone.amounts[i]);
    }
  }
}

void NumaPlanner::Describe(TaskId id, BindExtras& extras) const {
  const Task& task = cluster_.tasks()[id];
  if (!task.extras) return;
  const auto& numa = cluster_.nodes()[task.node].numa;
  for (const auto& zone : task.extras->zones) {
    NumaPlacement placement{std::string(cluster_.Text(numa->zone_names[zone.zone])), {}};
    for (int i = 0; i < static_cast<int>(zone.amounts.size()); ++i) {
      if (zone.amounts[i] == 0) continue;
      const std::string name(cluster_.Text(numa->NameOf(i)));
      placement.amount[name] = i == kCpu   ? base::Quantity::FromMilli(zone.amounts[i])
                               : i == kGpu ? base::Quantity::FromUnits(zone.amounts[i] / kGpuUnit)
                                           : base::Quantity::FromUnits(zone.amounts[i]);
    }
    extras.numa_zones.push_back(std::move(placement));
  }
}

}  // namespace coppice::engine
