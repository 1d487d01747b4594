#include "scenario/invariants/sharing.h"

#include <fmt/format.h>

#include <set>

#include "api/view/kai.h"
#include "api/view/resource.h"
#include "kube/object.h"
#include "services/common/gpu_sharing.h"
#include "services/common/names.h"

namespace coppice::scenario {
namespace {

using json::Value;

constexpr std::string_view kReservationNamespace = "kai-resource-reservation";
constexpr base::Duration kTimeToRelease = std::chrono::seconds(60);

bool IsReservation(const Value& pod) { return kube::Namespace(pod) == kReservationNamespace; }

std::set<std::string> GroupsInUse(const World& world) {
  std::set<std::string> used;
  for (const Value& pod : world.pods) {
    if (IsReservation(pod) || !HoldsResources(pod)) continue;
    for (std::string& group : services::GpuGroupsOf(pod)) used.insert(std::move(group));
  }
  for (const Value& request : world.bind_requests) {
    const auto groups = view::kai::BindRequest(request).spec().selectedGPUGroups();
    used.insert(groups.begin(), groups.end());
  }
  return used;
}

}  // namespace

void CheckSharedGpus(const World& world, Violations& out) {
  std::map<std::string, double> used;
  for (const Value& pod : world.pods) {
    if (IsReservation(pod) || !HoldsResources(pod) || !IsBound(pod)) continue;
    for (const std::string& group : services::GpuGroupsOf(pod)) used[group] += FractionOf(pod);
  }
  for (const auto& [group, parts] : used) {
    if (parts > 1.0001) out.push_back(fmt::format("GPU group {} holds {} of a GPU", group, parts));
  }
}

void CheckDevices(const World& world, Violations& out) {
  std::map<std::string, std::string> owner;
  for (const Value& claim : world.claims) {
    const std::string name = kube::KeyOf(claim).ToString();
    const auto allocation = view::resource::ResourceClaim(claim).status().allocation();
    for (const auto result : allocation.devices().results()) {
      if (result.adminAccess()) continue;
      const std::string device =
          fmt::format("{}/{}/{}", result.driver(), result.pool(), result.device());
      const auto [first, is_first] = owner.emplace(device, name);
      if (is_first) continue;
      out.push_back(
          fmt::format("device {} is allocated to claims {} and {}", device, first->second, name));
    }
  }
}

void LeakedReservations::Check(const World& world, Violations& out) {
  const std::set<std::string> used = GroupsInUse(world);
  std::map<std::string, base::Time> idle;
  for (const Value& pod : world.pods) {
    const std::string group(kube::Label(pod, services::names::kGpuGroupLabel));
    if (!IsReservation(pod) || kube::IsDeleting(pod) || used.contains(group)) continue;
    const std::string uid(kube::Uid(pod));
    const auto known = idle_since_.find(uid);
    const base::Time since = known == idle_since_.end() ? world.now : known->second;
    idle.emplace(uid, since);
    if (world.now - since < kTimeToRelease) continue;
    out.push_back(
        fmt::format("reservation {} holds GPU group {} for nobody", kube::Name(pod), group));
  }
  idle_since_ = std::move(idle);
}

}  // namespace coppice::scenario
