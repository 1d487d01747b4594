#include "engine/explain/prerequisites.h"

#include <fmt/format.h>

#include "engine/placement/storage_capacity.h"

namespace coppice::engine {
namespace {

using Changes = std::vector<Explanation::Change>;

void Create(const std::string& kind, const std::string& name, Changes& changes) {
  changes.push_back({"create", name, 1, kind, fmt::format("create {} `{}`", kind, name)});
}

void AddVolumeClaim(const Storage& storage, const PersistentVolumeClaimSpec& claim,
                    Changes& changes) {
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
    if (!claim.storage_class.empty()) return Create("StorageClass", claim.storage_class, changes);
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

void AddVolumeClaims(const Cluster& cluster, TaskId id, Changes& changes) {
  const PodShape& shape = *cluster.ClassOf(id).shape;
  for (const VolumeClaimRef& reference : shape.volume_claims) {
    const std::string pod(cluster.Text(cluster.tasks[id].name));
    const std::string name = ClaimNameOf(reference, pod);
    const auto claim = cluster.storage.claims.find({shape.namespace_name, name});
    if (claim == cluster.storage.claims.end()) {
      Create("PersistentVolumeClaim", name, changes);
    } else if (claim->second.volume_name.empty() || claim->second.deleted ||
               claim->second.phase == ClaimPhase::kLost) {
      const auto cls = cluster.storage.classes.find(claim->second.storage_class);
      const bool waits =
          cls != cluster.storage.classes.end() && cls->second.wait_for_first_consumer;
      if (!waits || claim->second.deleted) AddVolumeClaim(cluster.storage, claim->second, changes);
    }
  }
}

void AddDeviceClasses(const Cluster& cluster, const ClaimState& claim, Changes& changes) {
  if (claim.allocation) return;
  for (const DeviceRequestSpec& request : claim.spec.requests) {
    if (!cluster.devices.classes.contains(request.device_class)) {
      Create("DeviceClass", request.device_class, changes);
    }
  }
}

void AddResourceClaims(const Session& session, TaskId id, Changes& changes) {
  const Cluster& cluster = session.cluster;
  const Task& task = cluster.tasks[id];
  if (!task.extras || !session.config.dra_available) return;
  for (size_t i = 0; i < task.extras->claims.size(); ++i) {
    const int32_t claim = task.extras->claim_ids[i];
    const std::string& name = task.extras->claims[i].claim_name;
    if (claim != kNone) {
      AddDeviceClasses(cluster, cluster.devices.claims[claim], changes);
    } else if (!name.empty()) {
      Create("ResourceClaim", name, changes);
    }
  }
}

}  // namespace

Changes MissingPrerequisites(const Session& session, const Allocator& allocator, TaskId task) {
  Changes changes;
  if (const Predicates* predicates = allocator.predicates()) {
    for (const std::string& name : predicates->MissingConfigMaps(task)) {
      Create("ConfigMap", name, changes);
    }
    AddVolumeClaims(session.cluster, task, changes);
  }
  if (session.devices) AddResourceClaims(session, task, changes);
  return changes;
}

}  // namespace coppice::engine
