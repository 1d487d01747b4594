#include "services/workloads/volumes.h"

#include <fmt/format.h>

#include "api/edit/core.h"
#include "api/labels.h"
#include "api/view/core.h"
#include "api/view/storage.h"
#include "api/well_known.h"
#include "kube/cache/apply.h"
#include "kube/object.h"
#include "services/binder/plugins/volume_choice.h"
#include "services/workloads/template_metadata.h"

namespace coppice::services::workloads {
namespace {

using json::Value;
using kube::Requeue;
using view::core::PersistentVolume;
using view::core::PersistentVolumeClaim;
using view::storage::StorageClass;

constexpr std::string_view kSelectedNode = api::labels::kSelectedNode;
constexpr std::string_view kBindCompleted = api::labels::kBindCompleted;
constexpr std::string_view kProvisionedBy = api::labels::kProvisionedBy;
constexpr std::string_view kNoProvisioner = "kubernetes.io/no-provisioner";

api::ObjectKey ClaimOf(PersistentVolume volume) {
  const view::core::ObjectReference reference = volume.spec().claimRef();
  return {std::string(reference.namespace_()), std::string(reference.name())};
}

// A reference without a uid was made by hand, for a claim yet to come.
bool RefersTo(PersistentVolume volume, const Value& claim) {
  if (!volume.spec().has_claimRef() || ClaimOf(volume) != kube::KeyOf(claim)) return false;
  const std::string_view uid = volume.spec().claimRef().uid();
  return uid.empty() || uid == kube::Uid(claim);
}

Value ReferenceTo(const Value& claim) {
  Value out = Value::Object();
  edit::core::ObjectReference(out)
      .set_apiVersion("v1")
      .set_kind("PersistentVolumeClaim")
      .set_namespace_(kube::Namespace(claim))
      .set_name(kube::Name(claim))
      .set_uid(kube::Uid(claim));
  return out;
}

Value MakeVolume(PersistentVolumeClaim claim, StorageClass storage_class) {
  const std::string name = fmt::format("pvc-{}", claim.metadata().uid());
  const view::core::PersistentVolumeClaimSpec wanted = claim.spec();
  Value volume = kube::NewObject(api::kPersistentVolumes, "", name);
  const edit::core::PersistentVolume edit(volume);
  edit.metadata().annotations().Set(kProvisionedBy, storage_class.provisioner());
  edit.spec()
      .set_capacity(wanted.resources().requests().Json())
      .set_accessModes(wanted.accessModes().Json())
      .set_volumeMode(wanted.has_volumeMode() ? wanted.volumeMode() : "Filesystem")
      .set_storageClassName(storage_class.metadata().name())
      .set_persistentVolumeReclaimPolicy(
          storage_class.has_reclaimPolicy() ? storage_class.reclaimPolicy() : "Delete")
      .set_claimRef(ReferenceTo(claim.Json()));
  edit.spec().csi().set_driver(storage_class.provisioner()).set_volumeHandle(name);
  return volume;
}

base::Status SetPhase(kube::Client& client, PersistentVolume volume, std::string_view phase) {
  Value status = volume.status().Json();
  edit::core::PersistentVolumeStatus(status).set_phase(phase);
  COPPICE_TRY(kube::PatchStatus(client, api::kPersistentVolumes, volume.Json(), status));
  return {};
}

class ClaimController final : public kube::Reconciler {
 public:
  explicit ClaimController(kube::Runtime runtime)
      : client_(runtime.client),
        claims_(runtime.cache.InformerFor(api::kPersistentVolumeClaims)),
        volumes_(runtime.cache.InformerFor(api::kPersistentVolumes)),
        classes_(runtime.cache.InformerFor(api::kStorageClasses)) {}

  base::Result<Requeue> Reconcile(const api::ObjectKey& key) override {
    const auto object = claims_.Get(key);
    if (!object || kube::IsDeleting(*object)) return Requeue::Done();
    const PersistentVolumeClaim claim(*object);
    if (claim.status().phase() == "Bound") return Requeue::Done();
    std::optional<Value> volume = FindVolume(claim);
    if (!volume) {
      COPPICE_ASSIGN(volume, Provision(claim));
    }
    if (volume) COPPICE_TRY(Bind(*object, PersistentVolume(*volume)));
    return Requeue::Done();
  }

 private:
  // The scheduler of the pod chooses the volume, or has one provisioned on the selected node.
  static bool WaitsForConsumer(const std::optional<Value>& storage_class) {
    return storage_class &&
           StorageClass(*storage_class).volumeBindingMode() == "WaitForFirstConsumer";
  }

  std::optional<Value> FindVolume(PersistentVolumeClaim claim) const {
    if (const std::string name(claim.spec().volumeName()); !name.empty()) {
      auto named = volumes_.Get({"", name});
      if (!named) return std::nullopt;
      const PersistentVolume volume(*named);
      const bool free = !volume.spec().has_claimRef() || RefersTo(volume, claim.Json());
      return free ? named : std::nullopt;
    }
    const std::vector<Value> all = volumes_.List();
    for (const Value& volume : all) {
      if (RefersTo(PersistentVolume(volume), claim.Json())) return volume;
    }
    if (WaitsForConsumer(ClassOf(claim))) return std::nullopt;
    const Value* chosen = binder::ChooseVolume(claim.Json(), Value(), all, {});
    return chosen ? std::optional<Value>(*chosen) : std::nullopt;
  }

  std::optional<Value> ClassOf(PersistentVolumeClaim claim) const {
    return classes_.Get({"", binder::StorageClassOf(claim.Json())});
  }

  base::Result<std::optional<Value>> Provision(PersistentVolumeClaim claim) {
    const auto storage_class = ClassOf(claim);
    const bool selected = !claim.metadata().annotations()[kSelectedNode].empty();
    if (!storage_class || (WaitsForConsumer(storage_class) && !selected) ||
        !claim.spec().volumeName().empty() ||
        StorageClass(*storage_class).provisioner() == kNoProvisioner) {
      return std::optional<Value>();
    }
    const Value volume = MakeVolume(claim, StorageClass(*storage_class));
    const auto created = client_.Create(api::kPersistentVolumes, volume);
    if (created) return std::optional<Value>(*created);
    if (!created.Is(base::ErrorCode::kAlreadyExists)) return created.error();
    COPPICE_ASSIGN(Value made, client_.Get(api::kPersistentVolumes, kube::KeyOf(volume)));
    return std::optional<Value>(std::move(made));
  }

  // The volume first: it decides whose it is.
  base::Status Bind(const Value& claim, PersistentVolume volume) {
    Value mine = volume.Json();
    edit::core::PersistentVolume(mine).spec().set_claimRef(ReferenceTo(claim));
    COPPICE_ASSIGN(const kube::Applied taken,
                   kube::PatchTo(client_, api::kPersistentVolumes, volume.Json(), mine));
    COPPICE_TRY(SetPhase(client_, PersistentVolume(taken.object), "Bound"));
    Value bound = claim;
    const edit::core::PersistentVolumeClaim edit(bound);
    edit.spec().set_volumeName(volume.metadata().name());
    edit.metadata().annotations().Set(kBindCompleted, "yes");
    COPPICE_ASSIGN(const kube::Applied told,
                   kube::PatchTo(client_, api::kPersistentVolumeClaims, claim, bound));
    Value status = PersistentVolumeClaim(told.object).status().Json();
    edit::core::PersistentVolumeClaimStatus(status)
        .set_phase("Bound")
        .set_capacity(volume.spec().capacity().Json())
        .set_accessModes(volume.spec().accessModes().Json());
    COPPICE_TRY(kube::PatchStatus(client_, api::kPersistentVolumeClaims, told.object, status));
    return {};
  }

  kube::Client& client_;
  kube::Informer& claims_;
  kube::Informer& volumes_;
  kube::Informer& classes_;
};

class VolumeController final : public kube::Reconciler {
 public:
  explicit VolumeController(kube::Runtime runtime)
      : client_(runtime.client), volumes_(runtime.cache.InformerFor(api::kPersistentVolumes)) {}

  base::Result<Requeue> Reconcile(const api::ObjectKey& key) override {
    const auto object = volumes_.Get(key);
    if (!object || kube::IsDeleting(*object)) return Requeue::Done();
    const PersistentVolume volume(*object);
    const std::string_view phase = volume.status().phase();
    const bool made_for_one = !volume.spec().claimRef().uid().empty();
    if (!made_for_one) {
      if (phase == "Pending") COPPICE_TRY(SetPhase(client_, volume, "Available"));
      return Requeue::Done();
    }
    if (phase != "Released") {
      COPPICE_ASSIGN(const bool wanted, HasClaim(volume));
      if (wanted) return Requeue::Done();
      COPPICE_TRY(SetPhase(client_, volume, "Released"));
    }
    return Reclaim(volume);
  }

 private:
  // From the API itself: what is deleted for a claim that the cache does not show yet is lost.
  base::Result<bool> HasClaim(PersistentVolume volume) {
    const auto claim = client_.Get(api::kPersistentVolumeClaims, ClaimOf(volume));
    if (claim) return RefersTo(volume, *claim);
    if (claim.Is(base::ErrorCode::kNotFound)) return false;
    return claim.error();
  }

  base::Result<Requeue> Reclaim(PersistentVolume volume) {
    if (volume.spec().persistentVolumeReclaimPolicy() == "Delete" &&
        volume.metadata().annotations().Has(kProvisionedBy)) {
      COPPICE_TRY(kube::DeleteObject(client_, api::kPersistentVolumes, volume.Json(), {}));
    }
    return Requeue::Done();
  }

  kube::Client& client_;
  kube::Informer& volumes_;
};

// Makes the claims that pods bring along in their own spec.
class EphemeralController final : public kube::Reconciler {
 public:
  explicit EphemeralController(kube::Runtime runtime)
      : client_(runtime.client), pods_(runtime.cache.InformerFor(api::kPods)) {}

  base::Result<Requeue> Reconcile(const api::ObjectKey& key) override {
    const auto pod = pods_.Get(key);
    if (!pod || kube::IsDeleting(*pod)) return Requeue::Done();
    for (const view::core::Volume volume : view::core::Pod(*pod).spec().volumes()) {
      if (!volume.has_ephemeral()) continue;
      const auto created = client_.Create(api::kPersistentVolumeClaims, MakeClaim(*pod, volume));
      if (!created && !created.Is(base::ErrorCode::kAlreadyExists)) return created.error();
    }
    return Requeue::Done();
  }

 private:
  static Value MakeClaim(const Value& pod, view::core::Volume volume) {
    const auto wanted = volume.ephemeral().volumeClaimTemplate();
    Value claim = kube::NewObject(api::kPersistentVolumeClaims, kube::Namespace(pod),
                                  fmt::format("{}-{}", kube::Name(pod), volume.name()));
    const edit::core::PersistentVolumeClaim edit(claim);
    CopyLabelsAndAnnotations(wanted.metadata(), edit.metadata());
    edit.metadata().set_ownerReferences(Value::Array({kube::MakeControllerReference(pod)}));
    edit.set_spec(wanted.spec().Json());
    return claim;
  }

  kube::Client& client_;
  kube::Informer& pods_;
};

bool BringsClaims(const kube::Change& change) {
  if (change.type != kube::ChangeType::kAdded) return false;
  for (const view::core::Volume volume : view::core::Pod(change.object).spec().volumes()) {
    if (volume.has_ephemeral()) return true;
  }
  return false;
}

// The claims that a new volume or class may be what they wait for.
kube::Mapper Unbound(kube::Informer& claims) {
  return [&claims](const Value& object) {
    const PersistentVolume volume(object);  // Reads as empty where it is a class.
    if (volume.spec().has_claimRef()) return std::vector{ClaimOf(volume)};
    std::vector<api::ObjectKey> keys;
    for (const Value& claim : claims.List()) {
      if (PersistentVolumeClaim(claim).status().phase() != "Bound") {
        keys.push_back(kube::KeyOf(claim));
      }
    }
    return keys;
  };
}

}  // namespace

void AddVolumeControllers(kube::Manager& manager) {
  const kube::Runtime runtime = manager.runtime();
  kube::Informer& informer = runtime.cache.InformerFor(api::kPersistentVolumeClaims);
  kube::ControllerSpec claims{.name = "volume-claims"};
  claims.For(api::kPersistentVolumeClaims);
  claims.Watches(api::kPersistentVolumes, Unbound(informer));
  claims.Watches(api::kStorageClasses, Unbound(informer));
  manager.AddController(std::move(claims), std::make_unique<ClaimController>(runtime));
  kube::ControllerSpec volumes{.name = "volumes"};
  volumes.For(api::kPersistentVolumes);
  volumes.Watches(api::kPersistentVolumeClaims, [](const Value& claim) {
    const view::core::PersistentVolumeClaimSpec spec = PersistentVolumeClaim(claim).spec();
    std::vector<api::ObjectKey> keys;
    if (spec.has_volumeName()) keys.push_back({"", std::string(spec.volumeName())});
    return keys;
  });
  manager.AddController(std::move(volumes), std::make_unique<VolumeController>(runtime));
  kube::ControllerSpec ephemeral{.name = "ephemeral-volumes"};
  ephemeral.For(api::kPods, BringsClaims);
  manager.AddController(std::move(ephemeral), std::make_unique<EphemeralController>(runtime));
}

}  // namespace coppice::services::workloads
