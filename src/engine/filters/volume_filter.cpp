#include "engine/filters/volume_filter.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/filters/predicates.h"
#include "engine/filters/storage_capacity.h"

namespace coppice::engine {
namespace {

constexpr char kNoProvisioner[] = "kubernetes.io/no-provisioner";
constexpr char kNoSpace[] = "node(s) did not have enough free storage";

bool UsableOn(const PersistentVolumeSpec& volume, const LabelSource& labels,
              std::string_view node_name) {
  return !volume.node_affinity || Matches(*volume.node_affinity, labels, node_name);
}

void AddMissing(const Storage& storage, const PersistentVolumeClaimSpec& claim,
                std::vector<Explanation::Change>& changes) {
  if (claim.phase == ClaimPhase::kLost) {
    changes.push_back({"create", claim.volume_name, 1, "PersistentVolume",
                       fmt::format("restore PersistentVolume `{}`, or create PersistentVolumeClaim "
                                   "`{}` anew",
                                   claim.volume_name, claim.name)});
  } else if (claim.deleted) {
    changes.push_back(
        {"create", claim.name, 1, "PersistentVolumeClaim",
         fmt::format("create PersistentVolumeClaim `{}` anew: it is being deleted", claim.name)});
  } else if (claim.volume_name.empty() && !storage.classes.contains(claim.storage_class)) {
    if (!claim.storage_class.empty()) {
      changes.push_back(ToCreate("StorageClass", claim.storage_class));
      return;
    }
    changes.push_back({"create", claim.name, 1, "PersistentVolume",
                       fmt::format("create a PersistentVolume for claim `{}`, or give the claim a "
                                   "storage class",
                                   claim.name)});
  } else if (claim.volume_name.empty()) {
    changes.push_back({"wait", claim.name, 1, "PersistentVolumeClaim",
                       fmt::format("bind PersistentVolumeClaim `{}`: its provisioner has made no "
                                   "volume for it yet",
                                   claim.name)});
  }
}

}  // namespace

std::string VolumeFilter::Problem(TaskId id, const VolumeClaimRef& reference) const {
  const Cluster& cluster = session_.cluster;
  const Task& task = cluster.tasks()[id];
  const std::string& space = cluster.ClassOf(task).shape->namespace_name;
  const std::string name = ClaimNameOf(reference, cluster.Text(task.name));
  auto found = cluster.objects().storage.claims.find({space, name});
  if (found == cluster.objects().storage.claims.end()) {
    if (!reference.ephemeral) return fmt::format("persistentvolumeclaim \"{}\" not found", name);
    return fmt::format(
        "waiting for ephemeral volume controller to create the persistentvolumeclaim \"{}\"", name);
  }
  const auto& claim = found->second;
  if (claim.phase == ClaimPhase::kLost) {
    return fmt::format("persistentvolumeclaim \"{}\" bound to non-existent persistentvolume \"{}\"",
                       name, claim.volume_name);
  }
  if (claim.deleted) return fmt::format("persistentvolumeclaim \"{}\" is being deleted", name);
  if (reference.ephemeral && claim.owner_pod_uid != cluster.Text(task.uid)) {
    return fmt::format("PVC {0}/{1} was not created for pod {0}/{2} (pod is not owner)", space,
                       name, cluster.Text(task.name));
  }
  return "";
}

std::optional<PreFailure> VolumeFilter::Prepare(TaskId id) const {
  const Cluster& cluster = session_.cluster;
  const PodShape& shape = *cluster.ClassOf(id).shape;
  for (const auto& reference : shape.volume_claims) {
    if (std::string problem = Problem(id, reference); !problem.empty()) {
      return PreFailure{"VolumeBinding", std::move(problem), true};
    }
  }
  for (const auto& reference : shape.volume_claims) {
    const std::string name = ClaimNameOf(reference, cluster.Text(cluster.tasks()[id].name));
    const auto& claim = cluster.objects().storage.claims.at({shape.namespace_name, name});
    if (!claim.volume_name.empty() && !claim.prebound) continue;
    auto cls = cluster.objects().storage.classes.find(claim.storage_class);
    const bool waits = !claim.prebound && cls != cluster.objects().storage.classes.end() &&
                       cls->second.wait_for_first_consumer;
    if (waits) continue;
    return PreFailure{"VolumeBinding", "pod has unbound immediate PersistentVolumeClaims", true};
  }
  return std::nullopt;
}

// The problems of the pod's claims.
void VolumeFilter::Missing(TaskId id, std::vector<Explanation::Change>& changes) const {
  const Cluster& cluster = session_.cluster;
  const PodShape& shape = *cluster.ClassOf(id).shape;
  for (const VolumeClaimRef& reference : shape.volume_claims) {
    const std::string pod(cluster.Text(cluster.tasks()[id].name));
    const std::string name = ClaimNameOf(reference, pod);
    const auto claim = cluster.objects().storage.claims.find({shape.namespace_name, name});
    if (claim == cluster.objects().storage.claims.end()) {
      changes.push_back(ToCreate("PersistentVolumeClaim", name));
    } else if (claim->second.volume_name.empty() || claim->second.deleted ||
               claim->second.phase == ClaimPhase::kLost) {
      const auto cls = cluster.objects().storage.classes.find(claim->second.storage_class);
      const bool waits =
          cls != cluster.objects().storage.classes.end() && cls->second.wait_for_first_consumer;
      if (!waits || claim->second.deleted)
        AddMissing(cluster.objects().storage, claim->second, changes);
    }
  }
}

std::optional<std::string> VolumeFilter::CheckBound(const PersistentVolumeClaimSpec& claim,
                                                    const NodeView& node) const {
  const auto& volumes = session_.cluster.objects().storage.volumes;
  auto volume = volumes.find(claim.volume_name);
  if (volume == volumes.end()) {
    return "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)";
  }
  if (UsableOn(volume->second, node.labels, node.name)) return std::nullopt;
  return "node(s) had volume node affinity conflict";
}

const PersistentVolumeSpec* VolumeFilter::Match(const PersistentVolumeClaimSpec& claim,
                                                const NodeView& node,
                                                const std::set<std::string>& taken) const {
  const PersistentVolumeSpec* smallest = nullptr;
  for (const auto& [name, volume] : session_.cluster.objects().storage.volumes) {
    if (taken.contains(name) || !Satisfies(volume, claim)) continue;
    const bool usable = UsableOn(volume, node.labels, node.name);
    // If a volume is reserved for the claim, no other volume is possible.
    if (IsKeptFor(volume, claim)) return usable ? &volume : nullptr;
    if (usable && (!smallest || volume.bytes < smallest->bytes)) smallest = &volume;
  }
  return smallest;
}

VolumeFilter::Outcome VolumeFilter::CanProvision(const PersistentVolumeClaimSpec& claim,
                                                 const NodeView& node) const {
  const Storage& storage = session_.cluster.objects().storage;
  const auto found = storage.classes.find(claim.storage_class);
  if (found == storage.classes.end()) return Outcome::kNoVolume;
  const StorageClassSpec& cls = found->second;
  if (cls.provisioner.empty() || cls.provisioner == kNoProvisioner) return Outcome::kNoVolume;
  if (!cls.allowed_topologies.empty() &&
      !Matches(NodeSelector{cls.allowed_topologies}, node.labels, node.name)) {
    return Outcome::kNoVolume;
  }
  auto driver = storage.drivers.find(cls.provisioner);
  if (driver == storage.drivers.end() || !driver->second.storage_capacity) {
    return Outcome::kPossible;
  }
  const bool room =
      std::any_of(storage.capacities.begin(), storage.capacities.end(), [&](const auto& entry) {
        const CsiStorageCapacitySpec& capacity = entry.second;
        return capacity.storage_class == cls.name && capacity.node_topology &&
               capacity.maximum_volume_bytes.value_or(capacity.bytes) >= claim.bytes &&
               Matches(*capacity.node_topology, node.labels);
      });
  return room ? Outcome::kPossible : Outcome::kNoSpace;
}

// Small claims choose first, and each volume is used once; the remaining claims need new volumes.
VolumeFilter::Outcome VolumeFilter::CheckWaiting(Claims waiting, const NodeView& node) const {
  for (const auto* claim : waiting) {
    if (!claim->selected_node.empty() && claim->selected_node != node.name) {
      return Outcome::kNoVolume;
    }
  }
  std::stable_sort(waiting.begin(), waiting.end(),
                   [](const auto* a, const auto* b) { return a->bytes < b->bytes; });
  std::set<std::string> taken;
  for (const auto* claim : waiting) {
    // For a claim with a selected node, a volume is already being provisioned.
    const auto* volume = claim->selected_node.empty() ? Match(*claim, node, taken) : nullptr;
    if (volume) {
      taken.insert(volume->name);
      continue;
    }
    const Outcome outcome = CanProvision(*claim, node);
    if (outcome != Outcome::kPossible) return outcome;
  }
  return Outcome::kPossible;
}

std::optional<std::string> VolumeFilter::Check(TaskId id, NodeId node_id) const {
  const Cluster& cluster = session_.cluster;
  const PodShape& shape = *cluster.ClassOf(id).shape;
  if (shape.volume_claims.empty()) return std::nullopt;
  const NodeView node{cluster.Text(cluster.nodes()[node_id].name), cluster.LabelsOf(node_id)};
  std::optional<std::string> bound;
  Claims waiting;
  for (const auto& reference : shape.volume_claims) {
    const std::string name = ClaimNameOf(reference, cluster.Text(cluster.tasks()[id].name));
    const auto found = cluster.objects().storage.claims.find({shape.namespace_name, name});
    if (found == cluster.objects().storage.claims.end()) continue;  // Prepare has rejected the pod.
    if (found->second.volume_name.empty()) {
      waiting.push_back(&found->second);
    } else if (!bound) {
      bound = CheckBound(found->second, node);
    }
  }
  std::optional<std::string> unbound;
  switch (CheckWaiting(std::move(waiting), node)) {
    case Outcome::kPossible:
      break;
    case Outcome::kNoVolume:
      unbound = "node(s) didn't find available persistent volumes to bind";
      break;
    case Outcome::kNoSpace:
      // If we schedule CSI storage ourselves, this filter ignores missing space.
      if (!session_.config.schedule_csi_storage || bound) unbound = kNoSpace;
  }
  if (bound && unbound) return *bound + ", " + *unbound;
  return bound ? bound : unbound;
}

}  // namespace coppice::engine
