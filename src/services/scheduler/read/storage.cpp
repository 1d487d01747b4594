#include "services/scheduler/read/storage.h"

#include "base/quantity.h"
#include "json/strings.h"
#include "kube/object.h"
#include "services/scheduler/read/selectors.h"

namespace coppice::services::scheduler {
namespace {

constexpr std::string_view kSelectedNode = "volume.kubernetes.io/selected-node";
constexpr std::string_view kBindCompleted = "pv.kubernetes.io/bind-completed";
constexpr std::string_view kLegacyClass = "volume.beta.kubernetes.io/storage-class";

int64_t ReadBytes(const json::Value& quantity) {
  const auto parsed = base::Quantity::Parse(quantity.AsString());
  return parsed ? parsed->Value() : 0;
}

engine::ClaimPhase ReadPhase(std::string_view phase) {
  if (phase == "Bound") return engine::ClaimPhase::kBound;
  if (phase == "Lost") return engine::ClaimPhase::kLost;
  return engine::ClaimPhase::kPending;
}

std::string SoleOwnerPod(const json::Value& object) {
  const json::Value& owners = object["metadata"]["ownerReferences"];
  const bool owned = owners.size() == 1 && owners.At(0)["kind"].AsString() == "Pod";
  return owned ? owners.At(0)["uid"].ToString() : "";
}

// As the volume controller says when it is done.
bool IsBound(const json::Value& claim) {
  return claim["metadata"]["annotations"].Has(kBindCompleted) ||
         claim["status"]["phase"].AsString() == "Bound";
}

std::string ClassOf(const json::Value& object) {
  const json::Value* legacy = object["metadata"]["annotations"].Find(kLegacyClass);
  return legacy ? legacy->ToString() : object["spec"]["storageClassName"].ToString();
}

engine::NodeSelectorTerm ReadTopologyTerm(const json::Value& term) {
  engine::NodeSelectorTerm out;
  for (const json::Value& expression : term["matchLabelExpressions"].Items()) {
    engine::SelectorRequirement requirement{expression["key"].ToString()};
    for (const json::Value& value : expression["values"].Items()) {
      requirement.values.push_back(value.ToString());
    }
    out.match_expressions.push_back(std::move(requirement));
  }
  return out;
}

}  // namespace

engine::PersistentVolumeClaimSpec ReadVolumeClaim(const json::Value& claim) {
  engine::PersistentVolumeClaimSpec out;
  out.namespace_name = kube::Namespace(claim);
  out.name = kube::Name(claim);
  out.uid = kube::Uid(claim);
  out.storage_class = ClassOf(claim);
  out.volume_name = claim["spec"]["volumeName"].ToString();
  out.prebound = !out.volume_name.empty() && !IsBound(claim);
  out.owner_pod_uid = SoleOwnerPod(claim);
  out.selected_node = kube::Annotation(claim, kSelectedNode);
  out.phase = ReadPhase(claim["status"]["phase"].AsString());
  out.bytes = ReadBytes(claim["spec"]["resources"]["requests"]["storage"]);
  out.access_modes = json::ReadStrings(claim["spec"]["accessModes"]);
  out.mode = claim["spec"]["volumeMode"].ToString();
  out.attributes_class = claim["spec"]["volumeAttributesClassName"].ToString();
  if (claim["spec"].Has("selector")) out.selector = ReadLabelSelector(claim["spec"]["selector"]);
  out.deleted = kube::IsDeleting(claim);
  return out;
}

engine::PersistentVolumeSpec ReadVolume(const json::Value& volume) {
  const json::Value& spec = volume["spec"];
  engine::PersistentVolumeSpec out;
  out.name = kube::Name(volume);
  out.storage_class = ClassOf(volume);
  out.claim_namespace = spec["claimRef"]["namespace"].ToString();
  out.claim_name = spec["claimRef"]["name"].ToString();
  out.claim_uid = spec["claimRef"]["uid"].ToString();
  out.bytes = ReadBytes(spec["capacity"]["storage"]);
  out.access_modes = json::ReadStrings(spec["accessModes"]);
  out.mode = spec["volumeMode"].ToString();
  out.attributes_class = spec["volumeAttributesClassName"].ToString();
  out.labels = ReadLabels(volume["metadata"]["labels"]);
  out.available = volume["status"]["phase"].AsString("Available") == "Available";
  out.deleted = kube::IsDeleting(volume);
  const json::Value& required = spec["nodeAffinity"]["required"];
  if (!required.IsNull()) out.node_affinity = ReadNodeSelector(required);
  return out;
}

engine::StorageClassSpec ReadStorageClass(const json::Value& storage_class) {
  engine::StorageClassSpec out;
  out.name = kube::Name(storage_class);
  out.provisioner = storage_class["provisioner"].ToString();
  out.wait_for_first_consumer =
      storage_class["volumeBindingMode"].AsString() == "WaitForFirstConsumer";
  for (const json::Value& term : storage_class["allowedTopologies"].Items()) {
    out.allowed_topologies.push_back(ReadTopologyTerm(term));
  }
  return out;
}

engine::CsiDriverSpec ReadCsiDriver(const json::Value& driver) {
  return {std::string(kube::Name(driver)), driver["spec"]["storageCapacity"].AsBool()};
}

engine::CsiStorageCapacitySpec ReadStorageCapacity(const json::Value& capacity) {
  engine::CsiStorageCapacitySpec out;
  out.namespace_name = kube::Namespace(capacity);
  out.name = kube::Name(capacity);
  out.storage_class = capacity["storageClassName"].ToString();
  out.bytes = ReadBytes(capacity["capacity"]);
  if (capacity.Has("maximumVolumeSize")) {
    out.maximum_volume_bytes = ReadBytes(capacity["maximumVolumeSize"]);
  }
  if (capacity.Has("nodeTopology")) out.node_topology = ReadLabelSelector(capacity["nodeTopology"]);
  return out;
}

}  // namespace coppice::services::scheduler
