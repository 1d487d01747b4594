#include "services/workloads/volumes.h"

#include <fmt/format.h>

#include "api/well_known.h"
#include "kube/apply.h"
#include "kube/object.h"
#include "services/binder/volume_choice.h"

namespace coppice::services::workloads {
namespace {

using json::Value;
using kube::Requeue;

constexpr const char* kSelectedNode = "volume.kubernetes.io/selected-node";
constexpr const char* kBindCompleted = "pv.kubernetes.io/bind-completed";
constexpr const char* kProvisionedBy = "pv.kubernetes.io/provisioned-by";
constexpr std::string_view kNoProvisioner = "kubernetes.io/no-provisioner";

api::ObjectKey ClaimOf(const Value& volume) {
  const Value& reference = volume["spec"]["claimRef"];
  return {reference["namespace"].ToString(), reference["name"].ToString()};
}

// A reference without a uid was made by hand, for a claim yet to come.
bool RefersTo(const Value& volume, const Value& claim) {
  if (!volume["spec"].Has("claimRef") || ClaimOf(volume) != kube::KeyOf(claim)) return false;
  const std::string_view uid = volume["spec"]["claimRef"]["uid"].AsString();
  return uid.empty() || uid == kube::Uid(claim);
}

Value ReferenceTo(const Value& claim) {
  return Value::Object({{"apiVersion", "v1"},
                        {"kind", "PersistentVolumeClaim"},
                        {"namespace", kube::Namespace(claim)},
                        {"name", kube::Name(claim)},
                        {"uid", kube::Uid(claim)}});
}

Value MakeVolume(const Value& claim, const Value& storage_class) {
  const std::string name = fmt::format("pvc-{}", kube::Uid(claim));
  const Value& provisioner = storage_class["provisioner"];
  Value volume = kube::NewObject(api::kPersistentVolumes, "", name);
  volume.Mutable("metadata").Mutable("annotations").Set(kProvisionedBy, provisioner);
  volume.Mutable("spec")
      .Set("capacity", claim["spec"]["resources"]["requests"])
      .Set("accessModes", claim["spec"]["accessModes"])
      .Set("volumeMode", claim["spec"]["volumeMode"].AsString("Filesystem"))
      .Set("storageClassName", kube::Name(storage_class))
      .Set("persistentVolumeReclaimPolicy", storage_class["reclaimPolicy"].AsString("Delete"))
      .Set("claimRef", ReferenceTo(claim))
      .Set("csi", Value::Object({{"driver", provisioner}, {"volumeHandle", name}}));
  return volume;
}

class ClaimController final : public kube::Reconciler {
 public:
  explicit ClaimController(kube::Runtime runtime)
      : client_(runtime.client),
        claims_(runtime.cache.InformerFor(api::kPersistentVolumeClaims)),
        volumes_(runtime.cache.InformerFor(api::kPersistentVolumes)),
        classes_(runtime.cache.InformerFor(api::kStorageClasses)) {}

  base::Result<Requeue> Reconcile(const api::ObjectKey& key) override {
    const auto claim = claims_.Get(key);
    if (!claim || kube::IsDeleting(*claim) || (*claim)["status"]["phase"].AsString() == "Bound") {
      return Requeue::Done();
    }
    std::optional<Value> volume = FindVolume(*claim);
    if (!volume) {
      COPPICE_ASSIGN(volume, Provision(*claim));
    }
    if (volume) COPPICE_TRY(Bind(*claim, *volume));
    return Requeue::Done();
  }

 private:
  // Whoever places the pod chooses the volume, or has one made on the node that he selects.
  static bool WaitsForConsumer(const std::optional<Value>& storage_class) {
    return storage_class &&
           (*storage_class)["volumeBindingMode"].AsString() == "WaitForFirstConsumer";
  }

  std::optional<Value> FindVolume(const Value& claim) const {
    if (const std::string name = claim["spec"]["volumeName"].ToString(); !name.empty()) {
      auto named = volumes_.Get({"", name});
      const bool free = named && (!(*named)["spec"].Has("claimRef") || RefersTo(*named, claim));
      return free ? named : std::nullopt;
    }
    const std::vector<Value> all = volumes_.List();
    for (const Value& volume : all) {
      if (RefersTo(volume, claim)) return volume;
    }
    if (WaitsForConsumer(ClassOf(claim))) return std::nullopt;
    const Value* chosen = binder::ChooseVolume(claim, Value(), all, {});
    return chosen ? std::optional<Value>(*chosen) : std::nullopt;
  }

  std::optional<Value> ClassOf(const Value& claim) const {
    return classes_.Get({"", binder::StorageClassOf(claim)});
  }

  base::Result<std::optional<Value>> Provision(const Value& claim) {
    const auto storage_class = ClassOf(claim);
    const bool selected = !kube::Annotation(claim, kSelectedNode).empty();
    if (!storage_class || (WaitsForConsumer(storage_class) && !selected) ||
        !claim["spec"]["volumeName"].AsString().empty() ||
        (*storage_class)["provisioner"].AsString() == kNoProvisioner) {
      return std::optional<Value>();
    }
    const Value volume = MakeVolume(claim, *storage_class);
    const auto created = client_.Create(api::kPersistentVolumes, volume);
    if (created) return std::optional<Value>(*created);
    if (!created.Is(base::ErrorCode::kAlreadyExists)) return created.error();
    COPPICE_ASSIGN(Value made, client_.Get(api::kPersistentVolumes, kube::KeyOf(volume)));
    return std::optional<Value>(std::move(made));
  }

  // The volume first: it decides whose it is.
  base::Status Bind(const Value& claim, const Value& volume) {
    Value mine = volume;
    mine.Mutable("spec").Set("claimRef", ReferenceTo(claim));
    COPPICE_ASSIGN(const kube::Applied taken,
                   kube::PatchTo(client_, api::kPersistentVolumes, volume, mine));
    COPPICE_TRY(kube::PatchStatus(client_, api::kPersistentVolumes, taken.object,
                                  WithPhase(taken.object, "Bound")));
    Value bound = claim;
    bound.Mutable("spec").Set("volumeName", kube::Name(volume));
    bound.Mutable("metadata").Mutable("annotations").Set(kBindCompleted, "yes");
    COPPICE_ASSIGN(const kube::Applied told,
                   kube::PatchTo(client_, api::kPersistentVolumeClaims, claim, bound));
    Value status = WithPhase(told.object, "Bound");
    status.Set("capacity", volume["spec"]["capacity"])
        .Set("accessModes", volume["spec"]["accessModes"]);
    COPPICE_TRY(kube::PatchStatus(client_, api::kPersistentVolumeClaims, told.object, status));
    return {};
  }

  static Value WithPhase(const Value& object, std::string_view phase) {
    Value status = object["status"];
    return status.Set("phase", phase);
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
    const auto volume = volumes_.Get(key);
    if (!volume || kube::IsDeleting(*volume)) return Requeue::Done();
    const std::string_view phase = (*volume)["status"]["phase"].AsString();
    const bool made_for_one = !(*volume)["spec"]["claimRef"]["uid"].AsString().empty();
    if (!made_for_one) {
      if (phase == "Pending") COPPICE_TRY(SetPhase(*volume, "Available"));
      return Requeue::Done();
    }
    if (phase != "Released") {
      COPPICE_ASSIGN(const bool wanted, HasClaim(*volume));
      if (wanted) return Requeue::Done();
      COPPICE_TRY(SetPhase(*volume, "Released"));
    }
    return Reclaim(*volume);
  }

 private:
  // From the API itself: what is deleted for a claim that the cache does not show yet is lost.
  base::Result<bool> HasClaim(const Value& volume) {
    const auto claim = client_.Get(api::kPersistentVolumeClaims, ClaimOf(volume));
    if (claim) return RefersTo(volume, *claim);
    if (claim.Is(base::ErrorCode::kNotFound)) return false;
    return claim.error();
  }

  base::Status SetPhase(const Value& volume, std::string_view phase) {
    Value status = volume["status"];
    status.Set("phase", phase);
    COPPICE_TRY(kube::PatchStatus(client_, api::kPersistentVolumes, volume, status));
    return {};
  }

  base::Result<Requeue> Reclaim(const Value& volume) {
    if (volume["spec"]["persistentVolumeReclaimPolicy"].AsString() == "Delete" &&
        volume["metadata"]["annotations"].Has(kProvisionedBy)) {
      COPPICE_TRY(kube::DeleteObject(client_, api::kPersistentVolumes, volume, {}));
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
    for (const Value& volume : (*pod)["spec"]["volumes"].Items()) {
      if (!volume.Has("ephemeral")) continue;
      const auto created = client_.Create(api::kPersistentVolumeClaims, MakeClaim(*pod, volume));
      if (!created && !created.Is(base::ErrorCode::kAlreadyExists)) return created.error();
    }
    return Requeue::Done();
  }

 private:
  static Value MakeClaim(const Value& pod, const Value& volume) {
    const Value& wanted = volume["ephemeral"]["volumeClaimTemplate"];
    Value claim = kube::NewObject(api::kPersistentVolumeClaims, kube::Namespace(pod),
                                  fmt::format("{}-{}", kube::Name(pod), volume["name"].AsString()));
    Value& metadata = claim.Mutable("metadata");
    for (const char* field : {"labels", "annotations"}) {
      if (wanted["metadata"].Has(field)) metadata.Set(field, wanted["metadata"][field]);
    }
    metadata.Set("ownerReferences", Value::Array({kube::MakeControllerReference(pod)}));
    return claim.Set("spec", wanted["spec"]);
  }

  kube::Client& client_;
  kube::Informer& pods_;
};

bool BringsClaims(const kube::Change& change) {
  if (change.type != kube::ChangeType::kAdded) return false;
  for (const Value& volume : change.object["spec"]["volumes"].Items()) {
    if (volume.Has("ephemeral")) return true;
  }
  return false;
}

// The claims that a new volume or class may be what they wait for.
kube::Mapper Unbound(kube::Informer& claims) {
  return [&claims](const Value& object) {
    if (object["spec"].Has("claimRef")) return std::vector{ClaimOf(object)};
    std::vector<api::ObjectKey> keys;
    for (const Value& claim : claims.List()) {
      if (claim["status"]["phase"].AsString() != "Bound") keys.push_back(kube::KeyOf(claim));
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
    std::vector<api::ObjectKey> keys;
    if (claim["spec"].Has("volumeName"))
      keys.push_back({"", claim["spec"]["volumeName"].ToString()});
    return keys;
  });
  manager.AddController(std::move(volumes), std::make_unique<VolumeController>(runtime));
  kube::ControllerSpec ephemeral{.name = "ephemeral-volumes"};
  ephemeral.For(api::kPods, BringsClaims);
  manager.AddController(std::move(ephemeral), std::make_unique<EphemeralController>(runtime));
}

}  // namespace coppice::services::workloads
