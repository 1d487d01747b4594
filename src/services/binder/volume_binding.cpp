#include "services/binder/volume_binding.h"

#include <fmt/format.h>

#include <map>
#include <mutex>

#include "api/well_known.h"
#include "kube/object.h"
#include "services/binder/volume_choice.h"

namespace coppice::services::binder {
namespace {

constexpr const char* kSelectedNode = "volume.kubernetes.io/selected-node";
constexpr const char* kBindCompleted = "pv.kubernetes.io/bind-completed";
constexpr base::Duration kPoll = std::chrono::seconds(1);

struct ClaimRef {
  std::string name;
  bool ephemeral = false;
};

std::vector<ClaimRef> ClaimsOf(const json::Value& pod) {
  std::vector<ClaimRef> claims;
  for (const json::Value& volume : pod["spec"]["volumes"].Items()) {
    if (volume.Has("persistentVolumeClaim")) {
      claims.push_back({volume["persistentVolumeClaim"]["claimName"].ToString(), false});
    } else if (volume.Has("ephemeral")) {
      claims.push_back({fmt::format("{}-{}", kube::Name(pod), volume["name"].AsString()), true});
    }
  }
  return claims;
}

bool IsFullyBound(const json::Value& claim) {
  return !claim["spec"]["volumeName"].AsString().empty() &&
         (claim["metadata"]["annotations"].Has(kBindCompleted) ||
          claim["status"]["phase"].AsString() == "Bound");
}

json::Value ReferenceTo(const json::Value& claim) {
  return json::Value::Object({{"apiVersion", "v1"},
                              {"kind", "PersistentVolumeClaim"},
                              {"namespace", kube::Namespace(claim)},
                              {"name", kube::Name(claim)},
                              {"uid", kube::Uid(claim)}});
}

// Volumes chosen by binds under way, so that two of them never take the same one. Thread-safe.
class Choices {
 public:
  std::set<std::string> TakenByOthers(const std::string& pod_uid) const {
    std::lock_guard lock(mutex_);
    std::set<std::string> taken;
    for (const auto& [volume, owner] : owners_) {
      if (owner != pod_uid) taken.insert(volume);
    }
    return taken;
  }
  // False when another bind was faster.
  bool Take(const std::string& volume, const std::string& pod_uid) {
    std::lock_guard lock(mutex_);
    return owners_.emplace(volume, pod_uid).first->second == pod_uid;
  }
  void Release(const std::string& pod_uid) {
    std::lock_guard lock(mutex_);
    std::erase_if(owners_, [&](const auto& entry) { return entry.second == pod_uid; });
  }

 private:
  mutable std::mutex mutex_;                   // Guards owners_.
  std::map<std::string, std::string> owners_;  // Pod uid by volume.
};

class VolumeBinding final : public Plugin {
 public:
  VolumeBinding(kube::Runtime runtime, base::Duration timeout)
      : runtime_(runtime), timeout_(timeout) {}

  base::Result<Progress> PreBind(const BindContext& context) override {
    bool all_bound = true;
    for (const ClaimRef& reference : ClaimsOf(context.pod)) {
      COPPICE_ASSIGN(const bool bound, BindClaim(context, reference));
      all_bound &= bound;
    }
    if (all_bound) return Progress::Done();
    if (runtime_.executor.Now() - context.started < timeout_) return Progress::Wait(kPoll);
    return base::Error(
        base::ErrorCode::kTimeout,
        fmt::format("the pod's volumes were not bound within {}", base::FormatDuration(timeout_)));
  }

  void PostBind(const BindContext& context) override {
    choices_.Release(std::string(kube::Uid(context.pod)));
  }

  base::Status Rollback(const BindContext& context) override {
    choices_.Release(std::string(kube::Uid(context.pod)));
    return {};
  }

 private:
  // Moves one claim on; true when it is bound.
  base::Result<bool> BindClaim(const BindContext& context, const ClaimRef& reference) {
    const api::ObjectKey key{std::string(kube::Namespace(context.pod)), reference.name};
    COPPICE_ASSIGN(const json::Value claim, runtime_.client.Get(api::kPersistentVolumeClaims, key));
    COPPICE_TRY(CheckClaim(context.pod, claim, reference));
    if (IsFullyBound(claim)) {
      COPPICE_TRY(CheckBoundVolume(claim, context.node));
      return true;
    }
    if (!claim["spec"]["volumeName"].AsString().empty()) return false;
    COPPICE_TRY(Choose(context, claim));
    return false;
  }

  base::Status CheckClaim(const json::Value& pod, const json::Value& claim,
                          const ClaimRef& reference) {
    const std::string_view name = kube::Name(claim);
    if (kube::IsDeleting(claim)) {
      return base::Unavailable(fmt::format("persistentvolumeclaim \"{}\" is being deleted", name));
    }
    if (claim["status"]["phase"].AsString() == "Lost") {
      return base::Unavailable(
          fmt::format("persistentvolumeclaim \"{}\" bound to non-existent persistentvolume \"{}\"",
                      name, claim["spec"]["volumeName"].AsString()));
    }
    if (reference.ephemeral && !kube::IsOwnedBy(claim, kube::Uid(pod))) {
      return base::InvalidArgument(
          fmt::format("persistentvolumeclaim \"{}\" was not made for this pod", name));
    }
    return {};
  }

  base::Status CheckBoundVolume(const json::Value& claim, const json::Value& node) {
    COPPICE_ASSIGN(
        const json::Value volume,
        runtime_.client.Get(api::kPersistentVolumes, {"", claim["spec"]["volumeName"].ToString()}));
    if (IsVolumeUsableOn(volume, node)) return {};
    return base::Unavailable(
        fmt::format("volume {} cannot be used on node {}", kube::Name(volume), kube::Name(node)));
  }

  base::Status Choose(const BindContext& context, const json::Value& claim) {
    if (kube::Annotation(claim, kSelectedNode) == kube::Name(context.node)) return {};
    COPPICE_ASSIGN(const json::Value storage_class,
                   runtime_.client.Get(api::kStorageClasses, {"", StorageClassOf(claim)}));
    if (storage_class["volumeBindingMode"].AsString("Immediate") != "WaitForFirstConsumer") {
      return base::Unavailable("pod has unbound immediate PersistentVolumeClaims");
    }
    const std::string pod_uid(kube::Uid(context.pod));
    COPPICE_ASSIGN(const kube::ObjectList volumes, runtime_.client.List(api::kPersistentVolumes));
    const json::Value* volume =
        ChooseVolume(claim, context.node, volumes.items, choices_.TakenByOthers(pod_uid));
    if (volume) return ClaimVolume(*volume, claim, pod_uid);
    return Provision(context, claim, storage_class);
  }

  base::Status ClaimVolume(json::Value volume, const json::Value& claim,
                           const std::string& pod_uid) {
    if (!choices_.Take(std::string(kube::Name(volume)), pod_uid)) return {};  // Chosen again later.
    if (volume["spec"]["claimRef"]["uid"].AsString() == kube::Uid(claim)) return {};
    volume.Mutable("spec").Set("claimRef", ReferenceTo(claim));
    const auto updated = runtime_.client.Update(api::kPersistentVolumes, volume);
    if (updated || updated.Is(base::ErrorCode::kConflict)) return {};
    return updated.error();
  }

  base::Status Provision(const BindContext& context, const json::Value& claim,
                         const json::Value& storage_class) {
    StorageState storage{storage_class, {}, {}};
    COPPICE_ASSIGN(kube::ObjectList drivers, runtime_.client.List(api::kCsiDrivers));
    COPPICE_ASSIGN(kube::ObjectList capacities, runtime_.client.List(api::kCsiStorageCapacities));
    storage.drivers = std::move(drivers.items);
    storage.capacities = std::move(capacities.items);
    COPPICE_TRY(CheckProvisioning(claim, context.node, storage));
    json::Value patch = json::Value::Object();
    patch.Mutable("metadata")
        .Set("resourceVersion", kube::ResourceVersion(claim))
        .Mutable("annotations")
        .Set(kSelectedNode, kube::Name(context.node));
    const auto patched = runtime_.client.Patch(api::kPersistentVolumeClaims, kube::KeyOf(claim),
                                               kube::PatchType::kMerge, patch);
    if (patched || patched.Is(base::ErrorCode::kConflict)) return {};
    return patched.error();
  }

  kube::Runtime runtime_;
  const base::Duration timeout_;
  Choices choices_;
};

}  // namespace

std::unique_ptr<Plugin> MakeVolumeBinding(kube::Runtime runtime, base::Duration timeout) {
  return std::make_unique<VolumeBinding>(runtime, timeout);
}

}  // namespace coppice::services::binder
