#include "services/binder/plugins/volume_binding.h"

#include <fmt/format.h>

#include <map>
#include <mutex>

#include "api/edit/core.h"
#include "api/labels.h"
#include "api/view/core.h"
#include "api/view/storage.h"
#include "api/well_known.h"
#include "kube/object.h"
#include "services/binder/plugins/volume_choice.h"

namespace coppice::services::binder {
namespace {

constexpr std::string_view kSelectedNode = api::labels::kSelectedNode;
constexpr std::string_view kBindCompleted = api::labels::kBindCompleted;
constexpr base::Duration kPoll = std::chrono::seconds(1);

using view::core::PersistentVolumeClaim;

struct ClaimRef {
  std::string name;
  bool ephemeral = false;
};

std::vector<ClaimRef> ClaimsOf(view::core::Pod pod) {
  std::vector<ClaimRef> claims;
  for (const view::core::Volume volume : pod.spec().volumes()) {
    if (volume.has_persistentVolumeClaim()) {
      claims.push_back({std::string(volume.persistentVolumeClaim().claimName()), false});
    } else if (volume.has_ephemeral()) {
      claims.push_back({fmt::format("{}-{}", pod.metadata().name(), volume.name()), true});
    }
  }
  return claims;
}

bool IsFullyBound(PersistentVolumeClaim claim) {
  return !claim.spec().volumeName().empty() &&
         (claim.metadata().annotations().Has(kBindCompleted) || claim.status().phase() == "Bound");
}

// Volumes chosen by binds in progress, so that two binds never take the same one. Thread-safe.
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
    for (const ClaimRef& reference : ClaimsOf(view::core::Pod(context.pod))) {
      COPPICE_ASSIGN(const bool bound, BindClaim(context, reference));
      all_bound &= bound;
    }
    if (all_bound) return Progress::Done();
    if (runtime_.executor.Elapsed() - context.started < timeout_) return Progress::Wait(kPoll);
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
    COPPICE_ASSIGN(const json::Value live, runtime_.client.Get(api::kPersistentVolumeClaims, key));
    const PersistentVolumeClaim claim(live);
    COPPICE_TRY(CheckClaim(context.pod, claim, reference));
    if (IsFullyBound(claim)) {
      COPPICE_TRY(CheckBoundVolume(claim, context.node));
      return true;
    }
    if (!claim.spec().volumeName().empty()) return false;
    COPPICE_TRY(Choose(context, live));
    return false;
  }

  base::Status CheckClaim(const json::Value& pod, PersistentVolumeClaim claim,
                          const ClaimRef& reference) {
    const std::string_view name = claim.metadata().name();
    if (kube::IsDeleting(claim.Json())) {
      return base::Unavailable(fmt::format("persistentvolumeclaim \"{}\" is being deleted", name));
    }
    if (claim.status().phase() == "Lost") {
      return base::Unavailable(
          fmt::format("persistentvolumeclaim \"{}\" bound to non-existent persistentvolume \"{}\"",
                      name, claim.spec().volumeName()));
    }
    if (reference.ephemeral && !kube::IsOwnedBy(claim.Json(), kube::Uid(pod))) {
      return base::InvalidArgument(
          fmt::format("persistentvolumeclaim \"{}\" was not made for this pod", name));
    }
    return {};
  }

  base::Status CheckBoundVolume(PersistentVolumeClaim claim, const json::Value& node) {
    COPPICE_ASSIGN(
        const json::Value volume,
        runtime_.client.Get(api::kPersistentVolumes, {"", std::string(claim.spec().volumeName())}));
    if (IsVolumeUsableOn(volume, node)) return {};
    return base::Unavailable(
        fmt::format("volume {} cannot be used on node {}", kube::Name(volume), kube::Name(node)));
  }

  base::Status Choose(const BindContext& context, const json::Value& claim) {
    if (kube::Annotation(claim, kSelectedNode) == kube::Name(context.node)) return {};
    COPPICE_ASSIGN(const json::Value storage_class,
                   runtime_.client.Get(api::kStorageClasses, {"", StorageClassOf(claim)}));
    const view::storage::StorageClass mode(storage_class);
    if (mode.volumeBindingMode() != "WaitForFirstConsumer") {
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
    const auto claimed = view::core::PersistentVolume(volume).spec().claimRef();
    if (claimed.uid() == kube::Uid(claim)) return {};
    const auto spec = edit::core::PersistentVolume(volume).spec();
    spec.set_claimRef(json::Value::Object());
    spec.claimRef()
        .set_apiVersion("v1")
        .set_kind("PersistentVolumeClaim")
        .set_namespace_(kube::Namespace(claim))
        .set_name(kube::Name(claim))
        .set_uid(kube::Uid(claim));
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
    json::Value patch;
    const auto metadata = edit::core::PersistentVolumeClaim(patch).metadata();
    metadata.set_resourceVersion(kube::ResourceVersion(claim));
    metadata.annotations().Set(kSelectedNode, kube::Name(context.node));
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
