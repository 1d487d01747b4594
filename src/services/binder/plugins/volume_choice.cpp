#include "services/binder/plugins/volume_choice.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/view/core.h"
#include "api/view/storage.h"
#include "api/well_known.h"
#include "kube/object.h"
#include "services/scheduler/read/selectors.h"
#include "services/scheduler/read/storage.h"

namespace coppice::services::binder {
namespace {

constexpr std::string_view kNoProvisioner = "kubernetes.io/no-provisioner";

bool MatchesNode(const engine::NodeSelector& selector, const json::Value& node) {
  const engine::Labels labels = scheduler::ReadLabels(view::core::Node(node).metadata().labels());
  return engine::Matches(selector, engine::PlainLabels(labels), kube::Name(node));
}

bool TopologyAllows(const engine::StorageClassSpec& storage_class, const json::Value& node) {
  if (storage_class.allowed_topologies.empty()) return true;
  return MatchesNode(engine::NodeSelector{storage_class.allowed_topologies}, node);
}

bool HasCapacity(const std::vector<json::Value>& capacities, const std::string& storage_class,
                 int64_t bytes, const json::Value& node) {
  const engine::Labels labels = scheduler::ReadLabels(view::core::Node(node).metadata().labels());
  return std::any_of(capacities.begin(), capacities.end(), [&](const json::Value& item) {
    const engine::CsiStorageCapacitySpec capacity = scheduler::ReadStorageCapacity(item);
    return capacity.storage_class == storage_class && capacity.node_topology &&
           engine::Matches(*capacity.node_topology, labels) &&
           capacity.maximum_volume_bytes.value_or(capacity.bytes) >= bytes;
  });
}

bool PublishesCapacity(const std::vector<json::Value>& drivers, std::string_view provisioner) {
  return std::any_of(drivers.begin(), drivers.end(), [&](const json::Value& driver) {
    return kube::Name(driver) == provisioner &&
           view::storage::CSIDriver(driver).spec().storageCapacity();
  });
}

}  // namespace

std::string StorageClassOf(const json::Value& object) {
  return scheduler::ReadVolumeClaim(object).storage_class;
}

bool IsVolumeUsableOn(const json::Value& volume, const json::Value& node) {
  const engine::PersistentVolumeSpec spec = scheduler::ReadVolume(volume);
  if (!spec.node_affinity) return true;
  return MatchesNode(*spec.node_affinity, node);
}

const json::Value* ChooseVolume(const json::Value& claim, const json::Value& node,
                                const std::vector<json::Value>& volumes,
                                const std::set<std::string>& taken) {
  const engine::PersistentVolumeClaimSpec wanted = scheduler::ReadVolumeClaim(claim);
  const json::Value* best = nullptr;
  int64_t best_bytes = 0;
  for (const json::Value& volume : volumes) {
    if (taken.contains(std::string(kube::Name(volume))) || !IsVolumeUsableOn(volume, node)) {
      continue;
    }
    const engine::PersistentVolumeSpec spec = scheduler::ReadVolume(volume);
    if (!engine::Satisfies(spec, wanted) || (best && spec.bytes >= best_bytes)) continue;
    best = &volume;
    best_bytes = spec.bytes;
  }
  return best;
}

base::Status CheckProvisioning(const json::Value& claim, const json::Value& node,
                               const StorageState& storage) {
  const engine::StorageClassSpec spec = scheduler::ReadStorageClass(storage.storage_class);
  if (spec.provisioner.empty() || spec.provisioner == kNoProvisioner) {
    return base::Unavailable(
        fmt::format("no volume of class {} fits claim {}", spec.name, kube::Name(claim)));
  }
  if (!TopologyAllows(spec, node)) {
    return base::Unavailable(
        fmt::format("class {} makes no volumes for node {}", spec.name, kube::Name(node)));
  }
  if (!PublishesCapacity(storage.drivers, spec.provisioner)) return {};
  const int64_t bytes = scheduler::ReadVolumeClaim(claim).bytes;
  if (HasCapacity(storage.capacities, spec.name, bytes, node)) return {};
  return base::Unavailable(fmt::format("not enough storage of class {} for claim {} on node {}",
                                       spec.name, kube::Name(claim), kube::Name(node)));
}

}  // namespace coppice::services::binder
