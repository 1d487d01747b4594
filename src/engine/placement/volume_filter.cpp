#include "engine/placement/volume_filter.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/placement/predicates.h"
#include "engine/placement/storage_capacity.h"

namespace coppice::engine {
namespace {

constexpr char kNoProvisioner[] = "kubernetes.io/no-provisioner";

bool Offers(const PersistentVolumeSpec& volume, const PersistentVolumeClaimSpec& claim) {
  if (volume.storage_class != claim.storage_class || volume.bytes < claim.bytes) return false;
  if (!volume.claim_name.empty() &&
      (volume.claim_name != claim.name || volume.claim_namespace != claim.namespace_name)) {
    return false;
  }
  return std::all_of(claim.access_modes.begin(), claim.access_modes.end(), [&](const auto& mode) {
    return std::find(volume.access_modes.begin(), volume.access_modes.end(), mode) !=
           volume.access_modes.end();
  });
}

struct NodeView {
  std::string_view name;
  NamedLabels labels;
};

bool AllowsTopology(const StorageClassSpec& cls, const NodeView& node) {
  return cls.allowed_topologies.empty() ||
         Matches(NodeSelector{cls.allowed_topologies}, node.labels, node.name);
}

// Whether a new volume of the class can be made for the node.
bool CanProvision(const Storage& storage, const StorageClassSpec& cls,
                  const PersistentVolumeClaimSpec& claim, const NodeView& node, bool& space) {
  if (cls.provisioner.empty() || cls.provisioner == kNoProvisioner) return false;
  if (!AllowsTopology(cls, node)) return false;
  auto driver = storage.drivers.find(cls.provisioner);
  if (driver == storage.drivers.end() || !driver->second.storage_capacity) return true;
  for (const auto& [key, capacity] : storage.capacities) {
    if (capacity.storage_class != cls.name || !capacity.node_topology) continue;
    if (!Matches(*capacity.node_topology, node.labels)) continue;
    if (capacity.maximum_volume_bytes.value_or(capacity.bytes) >= claim.bytes) return true;
  }
  space = false;
  return false;
}

}  // namespace

std::optional<PreFailure> VolumeFilter::Prepare(TaskId id) const {
  const Cluster& cluster = session_.cluster;
  const PodClass& cls = cluster.ClassOf(id);
  if (cls.shape->volume_claims.empty()) return std::nullopt;
  const auto fail = [](std::string text) {
    return PreFailure{"VolumeBinding", std::move(text), true};
  };
  for (const auto& ref : cls.shape->volume_claims) {
    const std::string name = ClaimNameOf(ref, cluster.Text(cluster.tasks[id].name));
    auto found = cluster.storage.claims.find({cls.shape->namespace_name, name});
    if (found == cluster.storage.claims.end()) {
      return fail(fmt::format("persistentvolumeclaim \"{}\" not found", name));
    }
    const auto& claim = found->second;
    if (claim.phase == ClaimPhase::kLost) {
      return fail(
          fmt::format("persistentvolumeclaim \"{}\" bound to non-existent persistentvolume "
                      "\"{}\"",
                      name, claim.volume_name));
    }
    if (claim.deleted) {
      return fail(fmt::format("persistentvolumeclaim \"{}\" is being deleted", name));
    }
    auto storage_class = cluster.storage.classes.find(claim.storage_class);
    const bool waits = storage_class != cluster.storage.classes.end() &&
                       storage_class->second.wait_for_first_consumer;
    if (claim.volume_name.empty() && !waits) {
      return fail("pod has unbound immediate PersistentVolumeClaims");
    }
  }
  return std::nullopt;
}

std::optional<std::string> VolumeFilter::Check(TaskId id, NodeId node_id) const {
  const Cluster& cluster = session_.cluster;
  const PodClass& cls = cluster.ClassOf(id);
  if (cls.shape->volume_claims.empty()) return std::nullopt;
  const Storage& storage = cluster.storage;
  const NodeView node{cluster.Text(cluster.nodes[node_id].name), cluster.LabelsOf(node_id)};
  for (const auto& ref : cls.shape->volume_claims) {
    const std::string name = ClaimNameOf(ref, cluster.Text(cluster.tasks[id].name));
    auto found = storage.claims.find({cls.shape->namespace_name, name});
    if (found == storage.claims.end())
      return "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)";
    const auto& claim = found->second;
    if (!claim.volume_name.empty()) {
      auto volume = storage.volumes.find(claim.volume_name);
      if (volume == storage.volumes.end()) {
        return "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)";
      }
      if (volume->second.node_affinity &&
          !Matches(*volume->second.node_affinity, node.labels, node.name)) {
        return "node(s) had volume node affinity conflict";
      }
      continue;
    }
    const bool available =
        std::any_of(storage.volumes.begin(), storage.volumes.end(), [&](const auto& entry) {
          const auto& volume = entry.second;
          return Offers(volume, claim) &&
                 (!volume.node_affinity || Matches(*volume.node_affinity, node.labels, node.name));
        });
    if (available) continue;
    auto storage_class = storage.classes.find(claim.storage_class);
    bool space = true;
    if (storage_class != storage.classes.end() &&
        CanProvision(storage, storage_class->second, claim, node, space)) {
      continue;
    }
    if (space) return "node(s) didn't find available persistent volumes to bind";
    // With CSI storage scheduled by ourselves, space is not this filter's business.
    if (!session_.config.schedule_csi_storage) return "node(s) did not have enough free storage";
  }
  return std::nullopt;
}

}  // namespace coppice::engine
