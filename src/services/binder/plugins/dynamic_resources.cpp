#include "services/binder/plugins/dynamic_resources.h"

#include <fmt/format.h>

#include <set>
#include <vector>

#include "api/edit/core.h"
#include "api/edit/resource.h"
#include "api/finalizers.h"
#include "api/key/meta.h"
#include "api/view/kai.h"
#include "api/view/resource.h"
#include "api/well_known.h"
#include "kube/object.h"
#include "services/common/claims.h"

namespace coppice::services::binder {
namespace {

constexpr std::string_view kProtection = api::finalizers::kClaimDevices;
constexpr base::Duration kRetry = std::chrono::milliseconds(50);

using view::resource::AllocationResult;
using view::resource::ResourceClaim;

bool IsReservedFor(ResourceClaim claim, const json::Value& pod) {
  for (const auto user : claim.status().reservedFor()) {
    if (user.uid() == kube::Uid(pod)) return true;
  }
  return false;
}

bool IsAllocated(ResourceClaim claim) { return !claim.status().allocation().Json().empty(); }

std::set<std::vector<std::string_view>> DevicesOf(AllocationResult allocation) {
  std::set<std::vector<std::string_view>> devices;
  for (const auto result : allocation.devices().results()) {
    devices.insert({result.driver(), result.pool(), result.device(), result.request()});
  }
  return devices;
}

class DynamicResources final : public Plugin {
 public:
  DynamicResources(kube::Runtime runtime, base::Duration timeout)
      : runtime_(runtime), timeout_(timeout) {}

  base::Result<Progress> PreBind(const BindContext& context) override {
    const base::Status allocated = AllocateAll(context);
    if (allocated) return Progress::Done();
    const bool late = runtime_.executor.Elapsed() - context.started >= timeout_;
    if (allocated.Is(base::ErrorCode::kConflict) && !late) return Progress::Wait(kRetry);
    return allocated.error();
  }

  // A failed request must release its devices: the scheduler gives them to another pod.
  base::Status Rollback(const BindContext& context) override {
    for (const auto wanted : context.Wanted().resourceClaimAllocations()) {
      COPPICE_TRY(Release(context.pod, wanted.name()));
    }
    return RollbackExtended(context);
  }

 private:
  base::Status RollbackExtended(const BindContext& context) {
    if (!context.Wanted().has_extendedResourceClaimAllocation()) return {};
    COPPICE_ASSIGN(const std::optional<json::Value> claim, FindExtendedClaim(context.pod));
    if (!claim) return {};
    COPPICE_TRY(GiveUp(*claim));
    const base::Status deleted = runtime_.client.Delete(api::kResourceClaims, kube::KeyOf(*claim),
                                                        {.uid = std::string(kube::Uid(*claim))});
    if (!deleted && !deleted.Is(base::ErrorCode::kNotFound)) return deleted;
    json::Value patch;
    edit::core::Pod(patch).status().set_extendedResourceClaimStatus(nullptr);
    return PatchPodStatus(context.pod, patch);
  }

  base::Status AllocateAll(const BindContext& context) {
    const auto spec = context.Wanted();
    for (const auto wanted : spec.resourceClaimAllocations()) {
      COPPICE_TRY(AllocateNamed(context.pod, wanted));
    }
    if (!spec.has_extendedResourceClaimAllocation()) return {};
    return AllocateExtended(context.pod, spec.extendedResourceClaimAllocation());
  }

  base::Status AllocateNamed(const json::Value& pod, view::kai::ClaimAllocation wanted) {
    if (wanted.allocation().Json().empty()) {
      return base::InvalidArgument(fmt::format("claim {} has no allocation", wanted.name()));
    }
    COPPICE_ASSIGN(const std::string name, ClaimNameOf(pod, wanted.name()));
    COPPICE_ASSIGN(
        const json::Value claim,
        runtime_.client.Get(api::kResourceClaims, {std::string(kube::Namespace(pod)), name}));
    return Allocate(pod, claim, wanted.allocation());
  }

  // Sets the allocation only if there is none, and adds the pod to its users.
  base::Status Allocate(const json::Value& pod, json::Value claim, AllocationResult allocation) {
    bool changed = false;
    if (!IsAllocated(ResourceClaim(claim))) {
      if (!kube::HasFinalizer(claim, kProtection)) {
        COPPICE_ASSIGN(claim, AddProtection(claim));
      }
      edit::resource::ResourceClaim(claim).status().set_allocation(allocation.Json());
      changed = true;
    }
    if (!IsReservedFor(ResourceClaim(claim), pod)) {
      edit::resource::ResourceClaim(claim)
          .status()
          .add_reservedFor()
          .set_resource("pods")
          .set_name(kube::Name(pod))
          .set_uid(kube::Uid(pod));
      changed = true;
    }
    if (!changed) return {};
    COPPICE_TRY(runtime_.client.Update(api::kResourceClaims, claim, {.subresource = "status"}));
    return {};
  }

  base::Result<json::Value> AddProtection(json::Value claim) {
    const auto metadata = edit::resource::ResourceClaim(claim).metadata();
    metadata.Json().Mutable(key::meta::ObjectMeta::finalizers).Append(kProtection);
    return runtime_.client.Update(api::kResourceClaims, claim);
  }

  // The last user's devices go with it.
  base::Status Release(const json::Value& pod, std::string_view name_in_pod) {
    const auto name = ClaimNameOf(pod, name_in_pod);
    if (!name) return {};
    const auto claim =
        runtime_.client.Get(api::kResourceClaims, {std::string(kube::Namespace(pod)), *name});
    if (!claim) return claim.Is(base::ErrorCode::kNotFound) ? base::Status{} : claim.error();
    const ResourceClaim live(*claim);
    if (!IsReservedFor(live, pod)) return {};
    json::Value others = json::Value::Array();
    for (const auto user : live.status().reservedFor()) {
      if (user.uid() != kube::Uid(pod)) others.Append(user.Json());
    }
    if (others.empty()) return GiveUp(*claim);
    json::Value rest = *claim;
    edit::resource::ResourceClaim(rest).status().set_reservedFor(std::move(others));
    return UpdateStatus(rest);
  }

  // A claim that says it is used is kept by its finalizer, and its devices with it.
  base::Status GiveUp(json::Value claim) {
    const ResourceClaim live(claim);
    if (!IsAllocated(live) && live.status().reservedFor().empty()) return {};
    const auto status = edit::resource::ResourceClaim(claim).status();
    status.clear_allocation();
    status.clear_reservedFor();
    return UpdateStatus(claim);
  }

  base::Status UpdateStatus(const json::Value& claim) {
    const auto updated =
        runtime_.client.Update(api::kResourceClaims, claim, {.subresource = "status"});
    if (updated || updated.Is(base::ErrorCode::kNotFound)) return {};
    return updated.error();
  }

  // One that is being deleted only if there is no other.
  base::Result<std::optional<json::Value>> FindExtendedClaim(const json::Value& pod) {
    COPPICE_ASSIGN(
        const kube::ObjectList list,
        runtime_.client.List(api::kResourceClaims, {.ns = std::string(kube::Namespace(pod))}));
    std::optional<json::Value> found;
    for (const json::Value& claim : list.items) {
      const view::meta::OwnerReference owner(kube::ControllerOwner(claim));
      if (!IsExtendedResourceClaim(claim) || owner.uid() != kube::Uid(pod)) continue;
      found = claim;
      if (!kube::IsDeleting(claim)) break;
    }
    return found;
  }

  base::Result<json::Value> MakeExtendedClaim(const json::Value& pod,
                                              view::kai::ExtendedClaimAllocation wanted) {
    json::Value made = kube::NewObject(api::kResourceClaims, kube::Namespace(pod), "");
    const edit::resource::ResourceClaim claim(made);
    const edit::meta::ObjectMeta metadata = claim.metadata();
    metadata.clear_name();
    metadata.set_generateName(fmt::format("{}-extended-resources-", kube::Name(pod)))
        .set_finalizers(json::Value::Array({kProtection}))
        .set_ownerReferences(json::Value::Array({kube::MakeControllerReference(pod)}));
    metadata.annotations().Set(kExtendedResourceClaim, "true");
    claim.spec().devices().set_requests(wanted.deviceRequests().Json());
    return runtime_.client.Create(api::kResourceClaims, made);
  }

  base::Status AllocateExtended(const json::Value& pod, view::kai::ExtendedClaimAllocation wanted) {
    COPPICE_ASSIGN(std::optional<json::Value> claim, FindExtendedClaim(pod));
    if (!claim || kube::IsDeleting(*claim)) {
      COPPICE_ASSIGN(claim, MakeExtendedClaim(pod, wanted));
    }
    // Left by an earlier bind that was not rolled back completely: rolling back this one removes
    // it.
    const ResourceClaim present(*claim);
    if (IsAllocated(present) &&
        DevicesOf(present.status().allocation()) != DevicesOf(wanted.allocation())) {
      return base::AlreadyExists(
          fmt::format("claim {} has other devices than the request", kube::Name(*claim)));
    }
    COPPICE_TRY(Allocate(pod, *claim, wanted.allocation()));
    json::Value patch;
    edit::core::Pod(patch)
        .status()
        .extendedResourceClaimStatus()
        .set_resourceClaimName(kube::Name(*claim))
        .set_requestMappings(wanted.containerMappings().Json());
    return PatchPodStatus(pod, patch);
  }

  base::Status PatchPodStatus(const json::Value& pod, const json::Value& patch) {
    const auto patched = runtime_.client.Patch(
        api::kPods, kube::KeyOf(pod), kube::PatchType::kMerge, patch, {.subresource = "status"});
    if (patched || patched.Is(base::ErrorCode::kNotFound)) return {};
    return patched.error();
  }

  kube::Runtime runtime_;
  const base::Duration timeout_;
};

}  // namespace

std::unique_ptr<Plugin> MakeDynamicResources(kube::Runtime runtime, base::Duration timeout) {
  return std::make_unique<DynamicResources>(runtime, timeout);
}

}  // namespace coppice::services::binder
