#include "engine/placement/storage_capacity.h"

#include <fmt/format.h>

#include "engine/state/status.h"

namespace coppice::engine {

std::string ClaimNameOf(const VolumeClaimRef& ref, std::string_view pod) {
  return ref.ephemeral ? fmt::format("{}-{}", pod, ref.claim_name) : ref.claim_name;
}

StorageCapacity::StorageCapacity(const Cluster& cluster)
    : cluster_(cluster), of_node_(cluster.nodes.size()) {
  const Storage& storage = cluster.storage;
  for (const auto& [name, cls] : storage.classes) {
    if (cls.wait_for_first_consumer && storage.drivers.contains(cls.provisioner)) {
      classes_.insert(name);
    }
  }
  std::vector<char> ambiguous(cluster.nodes.size());
  for (const auto& [key, capacity] : storage.capacities) {
    const auto index = static_cast<int32_t>(bytes_.size());
    bytes_.push_back(capacity.bytes);
    if (!capacity.node_topology) continue;
    for (NodeId node : cluster.node_order) {
      if (!Matches(*capacity.node_topology, cluster.LabelsOf(node))) continue;
      ambiguous[node] |= !of_node_[node].emplace(capacity.storage_class, index).second;
    }
  }
  for (NodeId node : cluster.node_order) {
    if (ambiguous[node]) of_node_[node].clear();
  }
  for (TaskId task = 0; task < static_cast<TaskId>(cluster.tasks.size()); ++task) {
    if (cluster.tasks[task].exists && !ClaimsOf(task).empty()) consumers_.push_back(task);
  }
}

bool StorageCapacity::Managed(const PersistentVolumeClaimSpec& claim) const {
  return classes_.contains(claim.storage_class);
}

StorageCapacity::Claims StorageCapacity::ClaimsOf(TaskId id) const {
  Claims out;
  const PodShape& shape = *cluster_.ClassOf(id).shape;
  for (const auto& ref : shape.volume_claims) {
    const std::string name = ClaimNameOf(ref, cluster_.Text(cluster_.tasks[id].name));
    const auto found = cluster_.storage.claims.find({shape.namespace_name, name});
    if (found != cluster_.storage.claims.end() && Managed(found->second)) {
      out.push_back(&found->second);
    }
  }
  return out;
}

// What is spoken for: volumes to be made for pods that have a place there, less those that leave
// with the pods that own them.
int64_t StorageCapacity::Taken(int32_t capacity, const std::string& cls, bool releasing,
                               std::set<const PersistentVolumeClaimSpec*> counted) const {
  int64_t taken = 0;
  for (TaskId id : consumers_) {
    const Task& task = cluster_.tasks[id];
    if (task.node == kNone || !IsUsed(task.status)) continue;
    const auto& here = of_node_[task.node];
    const auto found = here.find(cls);
    if (found == here.end() || found->second != capacity) continue;
    for (const auto* claim : ClaimsOf(id)) {
      if (claim->storage_class != cls || !counted.insert(claim).second) continue;
      if (claim->phase == ClaimPhase::kPending) taken += claim->bytes;
      const bool leaves = !claim->owner_pod_uid.empty() && !IsAlive(task.status) &&
                          claim->owner_pod_uid == cluster_.Text(task.uid);
      if (releasing && leaves) taken -= claim->bytes;
    }
  }
  return taken;
}

bool StorageCapacity::Fits(TaskId id, NodeId node, bool releasing) const {
  const Task& task = cluster_.tasks[id];
  // A victim's own volumes go with it, and would have to be made again.
  const bool again = task.is_virtual && task.status == TaskStatus::kReleasing;
  std::map<std::string, int64_t> needed;
  std::set<const PersistentVolumeClaimSpec*> own;
  for (const auto* claim : ClaimsOf(id)) {
    const bool owned = !claim->owner_pod_uid.empty();
    if (owned && cluster_.FindTask(claim->owner_pod_uid) == kNone) return false;
    if (claim->phase != ClaimPhase::kPending && !(owned && again)) continue;
    if (own.insert(claim).second) needed[claim->storage_class] += claim->bytes;
  }
  for (const auto& [cls, bytes] : needed) {
    const auto found = of_node_[node].find(cls);
    if (found == of_node_[node].end()) return false;
    if (bytes > bytes_[found->second] - Taken(found->second, cls, releasing, own)) return false;
  }
  return true;
}

}  // namespace coppice::engine
