#include "services/binder/dynamic_resources.h"

#include <fmt/format.h>

#include <set>
#include <vector>

#include "api/well_known.h"
#include "kube/object.h"
#include "services/common/claims.h"

namespace coppice::services::binder {
namespace {

constexpr const char* kProtection = "resource.kubernetes.io/delete-protection";
constexpr base::Duration kRetry = std::chrono::milliseconds(50);

json::Value Consumer(const json::Value& pod) {
  return json::Value::Object(
      {{"resource", "pods"}, {"name", kube::Name(pod)}, {"uid", kube::Uid(pod)}});
}

bool IsReservedFor(const json::Value& claim, const json::Value& pod) {
  for (const json::Value& user : claim["status"]["reservedFor"].Items()) {
    if (user["uid"].AsString() == kube::Uid(pod)) return true;
  }
  return false;
}

std::set<std::vector<std::string_view>> DevicesOf(const json::Value& allocation) {
  std::set<std::vector<std::string_view>> devices;
  for (const json::Value& result : allocation["devices"]["results"].Items()) {
    devices.insert({result["driver"].AsString(), result["pool"].AsString(),
                    result["device"].AsString(), result["request"].AsString()});
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
    const bool late = runtime_.executor.Now() - context.started >= timeout_;
    if (allocated.Is(base::ErrorCode::kConflict) && !late) return Progress::Wait(kRetry);
    return allocated.error();
  }

  // A request that has failed leaves no device taken: the scheduler gives it to somebody else.
  base::Status Rollback(const BindContext& context) override {
    for (const json::Value& wanted : context.request["spec"]["resourceClaimAllocations"].Items()) {
      COPPICE_TRY(Release(context.pod, wanted["name"].AsString()));
    }
    return RollbackExtended(context);
  }

 private:
  base::Status RollbackExtended(const BindContext& context) {
    if (!context.request["spec"].Has("extendedResourceClaimAllocation")) return {};
    COPPICE_ASSIGN(const std::optional<json::Value> claim, FindExtendedClaim(context.pod));
    if (!claim) return {};
    COPPICE_TRY(GiveUp(*claim));
    const base::Status deleted = runtime_.client.Delete(api::kResourceClaims, kube::KeyOf(*claim),
                                                        {.uid = std::string(kube::Uid(*claim))});
    if (!deleted && !deleted.Is(base::ErrorCode::kNotFound)) return deleted;
    json::Value patch = json::Value::Object();
    patch.Mutable("status").Set("extendedResourceClaimStatus", json::Value());
    return PatchPodStatus(context.pod, patch);
  }

  base::Status AllocateAll(const BindContext& context) {
    const json::Value& spec = context.request["spec"];
    for (const json::Value& wanted : spec["resourceClaimAllocations"].Items()) {
      COPPICE_TRY(AllocateNamed(context.pod, wanted));
    }
    if (spec.Has("extendedResourceClaimAllocation")) {
      return AllocateExtended(context.pod, spec["extendedResourceClaimAllocation"]);
    }
    return {};
  }

  base::Status AllocateNamed(const json::Value& pod, const json::Value& wanted) {
    if (wanted["allocation"].empty()) {
      return base::InvalidArgument(
          fmt::format("claim {} has no allocation", wanted["name"].AsString()));
    }
    COPPICE_ASSIGN(const std::string name, ClaimNameOf(pod, wanted["name"].AsString()));
    COPPICE_ASSIGN(
        const json::Value claim,
        runtime_.client.Get(api::kResourceClaims, {std::string(kube::Namespace(pod)), name}));
    return Allocate(pod, claim, wanted["allocation"]);
  }

  // Sets the allocation only if there is none, and adds the pod to its users.
  base::Status Allocate(const json::Value& pod, json::Value claim, const json::Value& allocation) {
    bool changed = false;
    if (claim["status"]["allocation"].empty()) {
      if (!kube::HasFinalizer(claim, kProtection)) {
        COPPICE_ASSIGN(claim, AddProtection(claim));
      }
      claim.Mutable("status").Set("allocation", allocation);
      changed = true;
    }
    if (!IsReservedFor(claim, pod)) {
      claim.Mutable("status").Mutable("reservedFor").Append(Consumer(pod));
      changed = true;
    }
    if (!changed) return {};
    COPPICE_TRY(runtime_.client.Update(api::kResourceClaims, claim, {.subresource = "status"}));
    return {};
  }

  base::Result<json::Value> AddProtection(json::Value claim) {
    claim.Mutable("metadata").Mutable("finalizers").Append(kProtection);
    return runtime_.client.Update(api::kResourceClaims, claim);
  }

  // The last user's devices go with it.
  base::Status Release(const json::Value& pod, std::string_view name_in_pod) {
    const auto name = ClaimNameOf(pod, name_in_pod);
    if (!name) return {};
    const auto claim =
        runtime_.client.Get(api::kResourceClaims, {std::string(kube::Namespace(pod)), *name});
    if (!claim) return claim.Is(base::ErrorCode::kNotFound) ? base::Status{} : claim.error();
    if (!IsReservedFor(*claim, pod)) return {};
    json::Value others = json::Value::Array();
    for (const json::Value& user : (*claim)["status"]["reservedFor"].Items()) {
      if (user["uid"].AsString() != kube::Uid(pod)) others.Append(user);
    }
    if (others.empty()) return GiveUp(*claim);
    json::Value rest = *claim;
    rest.Mutable("status").Set("reservedFor", std::move(others));
    return UpdateStatus(rest);
  }

  // A claim that says it is used is kept by its finalizer, and its devices with it.
  base::Status GiveUp(json::Value claim) {
    const json::Value& status = claim["status"];
    if (status["allocation"].empty() && status["reservedFor"].empty()) return {};
    claim.Mutable("status").Erase("allocation");
    claim.Mutable("status").Erase("reservedFor");
    return UpdateStatus(claim);
  }

  base::Status UpdateStatus(const json::Value& claim) {
    const auto updated =
        runtime_.client.Update(api::kResourceClaims, claim, {.subresource = "status"});
    if (updated || updated.Is(base::ErrorCode::kNotFound)) return {};
    return updated.error();
  }

  // One that is being deleted only where there is no other.
  base::Result<std::optional<json::Value>> FindExtendedClaim(const json::Value& pod) {
    COPPICE_ASSIGN(
        const kube::ObjectList list,
        runtime_.client.List(api::kResourceClaims, {.ns = std::string(kube::Namespace(pod))}));
    std::optional<json::Value> found;
    for (const json::Value& claim : list.items) {
      if (!IsExtendedResourceClaim(claim) ||
          kube::ControllerOwner(claim)["uid"].AsString() != kube::Uid(pod)) {
        continue;
      }
      found = claim;
      if (!kube::IsDeleting(claim)) break;
    }
    return found;
  }

  base::Result<json::Value> MakeExtendedClaim(const json::Value& pod, const json::Value& wanted) {
    json::Value claim = kube::NewObject(api::kResourceClaims, kube::Namespace(pod), "");
    json::Value& metadata = claim.Mutable("metadata");
    metadata.Erase("name");
    metadata.Set("generateName", fmt::format("{}-extended-resources-", kube::Name(pod)))
        .Set("finalizers", json::Value::Array({kProtection}))
        .Set("annotations", json::Value::Object({{kExtendedResourceClaim, "true"}}))
        .Set("ownerReferences", json::Value::Array({kube::MakeControllerReference(pod)}));
    claim.Mutable("spec").Mutable("devices").Set("requests", wanted["deviceRequests"]);
    return runtime_.client.Create(api::kResourceClaims, claim);
  }

  base::Status AllocateExtended(const json::Value& pod, const json::Value& wanted) {
    COPPICE_ASSIGN(std::optional<json::Value> claim, FindExtendedClaim(pod));
    if (!claim || kube::IsDeleting(*claim)) {
      COPPICE_ASSIGN(claim, MakeExtendedClaim(pod, wanted));
    }
    // Left of an earlier bind that was not undone altogether: undoing this one takes it away.
    if (const json::Value& present = (*claim)["status"]["allocation"];
        !present.empty() && DevicesOf(present) != DevicesOf(wanted["allocation"])) {
      return base::AlreadyExists(
          fmt::format("claim {} has other devices than the request", kube::Name(*claim)));
    }
    COPPICE_TRY(Allocate(pod, *claim, wanted["allocation"]));
    json::Value patch = json::Value::Object();
    patch.Mutable("status")
        .Mutable("extendedResourceClaimStatus")
        .Set("resourceClaimName", kube::Name(*claim))
        .Set("requestMappings", wanted["containerMappings"]);
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
