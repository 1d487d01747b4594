#include "services/scheduler/read/storage.h"

#include "api/labels.h"
#include "api/view/core.h"
#include "api/view/storage.h"
#include "base/quantity.h"
#include "json/strings.h"
#include "kube/object.h"
#include "services/scheduler/read/selectors.h"

namespace coppice::services::scheduler {
namespace {

constexpr std::string_view kStorage = "storage";  // Resource.
using api::labels::kBindCompleted;
using api::labels::kSelectedNode;
constexpr std::string_view kLegacyClass = api::labels::kLegacyStorageClass;

int64_t ReadBytes(const json::Value& quantity) {
  const auto parsed = base::Quantity::Parse(quantity.AsString());
  return parsed ? parsed->Value() : 0;
}

engine::ClaimPhase ReadPhase(std::string_view phase) {
  if (phase == "Bound") return engine::ClaimPhase::kBound;
  if (phase == "Lost") return engine::ClaimPhase::kLost;
  return engine::ClaimPhase::kPending;
}

std::string SoleOwnerPod(view::meta::ObjectMeta object) {
  const auto owners = object.ownerReferences();
  const bool owned = owners.size() == 1 && owners.At(0).kind() == "Pod";
  return std::string(owned ? owners.At(0).uid() : "");
}

// As the volume controller says when it is done.
bool IsBound(view::core::PersistentVolumeClaim claim) {
  return claim.metadata().annotations().Has(kBindCompleted) || claim.status().phase() == "Bound";
}

// Of a claim or a volume.
template <typename Kind>
std::string ClassOf(Kind object) {
  const auto annotations = object.metadata().annotations();
  const bool legacy = annotations.Has(kLegacyClass);
  return std::string(legacy ? annotations[kLegacyClass] : object.spec().storageClassName());
}

engine::NodeSelectorTerm ReadTopologyTerm(view::core::TopologySelectorTerm term) {
  engine::NodeSelectorTerm out;
  for (const auto expression : term.matchLabelExpressions()) {
    engine::SelectorRequirement requirement{std::string(expression.key())};
    requirement.values = json::ReadStrings(expression.values().Json());
    out.match_expressions.push_back(std::move(requirement));
  }
  return out;
}

}  // namespace

engine::PersistentVolumeClaimSpec ReadVolumeClaim(const json::Value& object) {
  const view::core::PersistentVolumeClaim claim(object);
  const view::core::PersistentVolumeClaimSpec spec = claim.spec();
  engine::PersistentVolumeClaimSpec out;
  out.namespace_name = claim.metadata().namespace_();
  out.name = claim.metadata().name();
  out.uid = claim.metadata().uid();
  out.storage_class = ClassOf(claim);
  out.volume_name = spec.volumeName();
  out.prebound = !out.volume_name.empty() && !IsBound(claim);
  out.owner_pod_uid = SoleOwnerPod(claim.metadata());
  out.selected_node = claim.metadata().annotations()[kSelectedNode];
  out.phase = ReadPhase(claim.status().phase());
  out.bytes = ReadBytes(spec.resources().requests()[kStorage]);
  out.access_modes = json::ReadStrings(spec.accessModes().Json());
  out.mode = spec.volumeMode();
  out.attributes_class = spec.volumeAttributesClassName();
  if (spec.has_selector()) out.selector = ReadLabelSelector(spec.selector());
  out.deleted = kube::IsDeleting(object);
  return out;
}

engine::PersistentVolumeSpec ReadVolume(const json::Value& object) {
  const view::core::PersistentVolume volume(object);
  const view::core::PersistentVolumeSpec spec = volume.spec();
  engine::PersistentVolumeSpec out;
  out.name = volume.metadata().name();
  out.storage_class = ClassOf(volume);
  out.claim_namespace = spec.claimRef().namespace_();
  out.claim_name = spec.claimRef().name();
  out.claim_uid = spec.claimRef().uid();
  out.bytes = ReadBytes(spec.capacity()[kStorage]);
  out.access_modes = json::ReadStrings(spec.accessModes().Json());
  out.mode = spec.volumeMode();
  out.attributes_class = spec.volumeAttributesClassName();
  out.labels = ReadLabels(volume.metadata().labels());
  out.available = !volume.status().has_phase() || volume.status().phase() == "Available";
  out.deleted = kube::IsDeleting(object);
  const view::core::NodeSelector required = spec.nodeAffinity().required();
  if (required) out.node_affinity = ReadNodeSelector(required);
  return out;
}

engine::StorageClassSpec ReadStorageClass(const json::Value& object) {
  const view::storage::StorageClass storage_class(object);
  engine::StorageClassSpec out;
  out.name = storage_class.metadata().name();
  out.provisioner = storage_class.provisioner();
  out.wait_for_first_consumer = storage_class.volumeBindingMode() == "WaitForFirstConsumer";
  for (const view::core::TopologySelectorTerm term : storage_class.allowedTopologies()) {
    out.allowed_topologies.push_back(ReadTopologyTerm(term));
  }
  return out;
}

engine::CsiDriverSpec ReadCsiDriver(const json::Value& driver) {
  return {std::string(kube::Name(driver)),
          view::storage::CSIDriver(driver).spec().storageCapacity()};
}

engine::CsiStorageCapacitySpec ReadStorageCapacity(const json::Value& object) {
  const view::storage::CSIStorageCapacity capacity(object);
  engine::CsiStorageCapacitySpec out;
  out.namespace_name = capacity.metadata().namespace_();
  out.name = capacity.metadata().name();
  out.storage_class = capacity.storageClassName();
  out.bytes = ReadBytes(capacity.capacity());
  if (capacity.has_maximumVolumeSize()) {
    out.maximum_volume_bytes = ReadBytes(capacity.maximumVolumeSize());
  }
  if (capacity.has_nodeTopology()) out.node_topology = ReadLabelSelector(capacity.nodeTopology());
  return out;
}

}  // namespace coppice::services::scheduler
