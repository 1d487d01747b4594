#include "engine/filters/storage_capacity.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/state/jobs/status.h"

namespace coppice::engine {

std::string ClaimNameOf(const VolumeClaimRef& ref, std::string_view pod) {
  return ref.ephemeral ? fmt::format("{}-{}", pod, ref.claim_name) : ref.claim_name;
}

StorageCapacity::StorageCapacity(const Session& session)
    : cluster_(session.cluster), of_node_(session.cluster.nodes().size()) {
  const Cluster& cluster = cluster_;
  const Storage& storage = cluster.objects().storage;
  for (const auto& [name, cls] : storage.classes) {
    if (cls.wait_for_first_consumer && storage.drivers.contains(cls.provisioner)) {
      classes_.insert(name);
    }
  }
  std::vector<char> ambiguous(cluster.nodes().size());
  for (const auto& [key, capacity] : storage.capacities) {
    const auto index = static_cast<int32_t>(bytes_.size());
    bytes_.push_back(capacity.bytes);
    for (NodeId node : cluster.node_order()) {
      if (capacity.node_topology && !Matches(*capacity.node_topology, cluster.LabelsOf(node))) {
        continue;
      }
      ambiguous[node] |= !of_node_[node].emplace(capacity.storage_class, index).second;
    }
  }
  for (NodeId node : cluster.node_order()) {
    if (ambiguous[node]) of_node_[node].clear();
  }
  for (TaskId task = 0; task < static_cast<TaskId>(cluster.tasks().size()); ++task) {
    if (cluster.tasks()[task].exists && !ClaimsOf(task).empty()) consumers_.push_back(task);
  }
}

bool StorageCapacity::Managed(const PersistentVolumeClaimSpec& claim) const {
  return classes_.contains(claim.storage_class);
}

StorageCapacity::Claims StorageCapacity::ClaimsOf(TaskId id) const {
  Claims out;
  const PodShape& shape = *cluster_.ClassOf(id).shape;
  for (const auto& ref : shape.volume_claims) {
    const std::string name = ClaimNameOf(ref, cluster_.Text(cluster_.tasks()[id].name));
    const auto found = cluster_.objects().storage.claims.find({shape.namespace_name, name});
    if (found != cluster_.objects().storage.claims.end() && Managed(found->second)) {
      out.push_back(&found->second);
    }
  }
  return out;
}

// Claimed capacity: volumes to be provisioned for pods placed there, minus those that go away with
// their owner pods.
int64_t StorageCapacity::Taken(NodeId node, const std::string& cls, bool releasing,
                               std::set<const PersistentVolumeClaimSpec*> counted) const {
  const int32_t capacity = of_node_[node].at(cls);
  int64_t taken = 0;
  for (TaskId id : consumers_) {
    const Task& task = cluster_.tasks()[id];
    if (task.node == kNone || !IsUsed(task.status)) continue;
    const auto& here = of_node_[task.node];
    const auto found = here.find(cls);
    if (found == here.end() || found->second != capacity) continue;
    for (const auto* claim : ClaimsOf(id)) {
      if (claim->storage_class != cls || !counted.insert(claim).second) continue;
      if (claim->phase == ClaimPhase::kPending) taken += claim->bytes;
      const bool leaves = !claim->owner_pod_uid.empty() && !IsAlive(task.status) &&
                          claim->owner_pod_uid == cluster_.Text(task.uid);
      if (releasing && leaves && task.node == node) taken -= claim->bytes;
    }
  }
  return taken;
}

// Whether the claim goes away with a terminating pod.
bool StorageCapacity::OwnerLeaves(const PersistentVolumeClaimSpec& claim) const {
  if (claim.owner_pod_uid.empty()) return false;
  const TaskId id = cluster_.FindTask(claim.owner_pod_uid);
  if (id == kNone) return true;
  const Task& owner = cluster_.tasks()[id];
  const bool deleting = (owner.extras && owner.extras->deletion) ||
                        (owner.status == TaskStatus::kReleasing && !owner.is_virtual);
  const Claims uses = ClaimsOf(id);
  return deleting || std::find(uses.begin(), uses.end(), &claim) == uses.end();
}

std::string StorageCapacity::Shortage(TaskId id, NodeId node) const {
  std::vector<std::string> leaving;
  for (const auto* claim : ClaimsOf(id)) {
    if (OwnerLeaves(*claim)) leaving.push_back(claim->namespace_name + "/" + claim->name);
  }
  if (!leaving.empty()) {
    return fmt::format("task has deleted storage claims: {}", fmt::join(leaving, ", "));
  }
  const Needs needs = NeedsOf(id);
  std::vector<std::string> texts;
  for (const auto& [cls, bytes] : needs.bytes) {
    if (!of_node_[node].contains(cls)) {
      texts.push_back(fmt::format("no allocatable storage from storageclass {} found", cls));
    } else if (!Room(needs, cls, node, false)) {
      texts.push_back(
          fmt::format("node(s) did not have enough free storage for storageclass {}", cls));
    }
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

StorageCapacity::Needs StorageCapacity::NeedsOf(TaskId id) const {
  const Task& task = cluster_.tasks()[id];
  // A victim's own volumes are deleted with it and would have to be provisioned again.
  const bool again = task.is_virtual && task.status == TaskStatus::kReleasing;
  Needs needs;
  for (const auto* claim : ClaimsOf(id)) {
    const bool owned = claim->owner_pod_uid == cluster_.Text(task.uid);
    if (claim->phase != ClaimPhase::kPending && !(owned && again)) continue;
    if (needs.claims.insert(claim).second) needs.bytes[claim->storage_class] += claim->bytes;
  }
  return needs;
}

bool StorageCapacity::Room(const Needs& needs, const std::string& cls, NodeId node,
                           bool releasing) const {
  const auto found = of_node_[node].find(cls);
  return found != of_node_[node].end() &&
         needs.bytes.at(cls) <= bytes_[found->second] - Taken(node, cls, releasing, needs.claims);
}

bool StorageCapacity::FitsIdle(TaskId id, NodeId node) const {
  const Claims claims = ClaimsOf(id);
  return std::none_of(claims.begin(), claims.end(),
                      [&](const auto* claim) { return OwnerLeaves(*claim); }) &&
         Fits(id, node, false);
}

bool StorageCapacity::Fits(TaskId id, NodeId node, bool releasing) const {
  const Needs needs = NeedsOf(id);
  return std::all_of(needs.bytes.begin(), needs.bytes.end(),
                     [&](const auto& entry) { return Room(needs, entry.first, node, releasing); });
}

}  // namespace coppice::engine
