#include "services/workloads/resource_claims.h"

#include <fmt/format.h>

#include "api/edit/core.h"
#include "api/edit/resource.h"
#include "api/finalizers.h"
#include "api/labels.h"
#include "api/view/core.h"
#include "api/view/resource.h"
#include "api/well_known.h"
#include "kube/cache/apply.h"
#include "kube/object.h"
#include "services/workloads/template_metadata.h"

namespace coppice::services::workloads {
namespace {

using json::Value;
using kube::Requeue;
using view::core::Pod;
using view::core::PodResourceClaim;
using view::resource::ResourceClaim;
using Consumer = view::resource::ResourceClaimConsumerReference;

constexpr std::string_view kProtection = api::finalizers::kClaimDevices;
constexpr std::string_view kPodClaimName = api::labels::kPodClaimName;

bool IsDone(Pod pod) {
  const std::string_view phase = pod.status().phase();
  return phase == "Succeeded" || phase == "Failed";
}

bool HasStatus(Pod pod, std::string_view claim) {
  for (const view::core::PodResourceClaimStatus status : pod.status().resourceClaimStatuses()) {
    if (status.name() == claim) return true;
  }
  return false;
}

class TemplateController final : public kube::Reconciler {
 public:
  explicit TemplateController(kube::Runtime runtime)
      : client_(runtime.client), pods_(runtime.cache.InformerFor(api::kPods)) {}

  base::Result<Requeue> Reconcile(const api::ObjectKey& key) override {
    const auto object = pods_.Get(key);
    if (!object || kube::IsDeleting(*object) || IsDone(Pod(*object))) return Requeue::Done();
    const Pod pod(*object);
    Value patch = Value::Object();
    const edit::core::PodStatus status = edit::core::Pod(patch).status();
    status.set_resourceClaimStatuses(pod.status().resourceClaimStatuses().Json());
    bool changed = false;
    for (const PodResourceClaim wanted : pod.spec().resourceClaims()) {
      if (!wanted.has_resourceClaimTemplateName() || HasStatus(pod, wanted.name())) continue;
      COPPICE_ASSIGN(const std::string claim, Make(pod, wanted));
      status.add_resourceClaimStatuses().set_name(wanted.name()).set_resourceClaimName(claim);
      changed = true;
    }
    if (!changed) return Requeue::Done();
    COPPICE_TRY(client_.Patch(api::kPods, key, kube::PatchType::kStrategic, patch,
                              {.subresource = "status"}));
    return Requeue::Done();
  }

 private:
  // Named after pod and claim, so that a second try finds the first one's.
  base::Result<std::string> Make(Pod pod, PodResourceClaim wanted) {
    const std::string ns(pod.metadata().namespace_());
    COPPICE_ASSIGN(const Value made_from,
                   client_.Get(api::kResourceClaimTemplates,
                               {ns, std::string(wanted.resourceClaimTemplateName())}));
    const auto pattern = view::resource::ResourceClaimTemplate(made_from).spec();
    const std::string name = fmt::format("{}-{}-{}", pod.metadata().name(), wanted.name(),
                                         pod.metadata().uid().substr(0, 5));
    Value claim = kube::NewObject(api::kResourceClaims, ns, name);
    const edit::resource::ResourceClaim edit(claim);
    const edit::meta::ObjectMeta metadata = edit.metadata();
    CopyLabelsAndAnnotations(pattern.metadata(), metadata);
    metadata.annotations().Set(kPodClaimName, wanted.name());
    metadata.set_ownerReferences(Value::Array({kube::MakeControllerReference(pod.Json())}));
    edit.set_spec(pattern.spec().Json());
    const auto created = client_.Create(api::kResourceClaims, claim);
    if (!created && !created.Is(base::ErrorCode::kAlreadyExists)) return created.error();
    return name;
  }

  kube::Client& client_;
  kube::Informer& pods_;
};

class ReleaseController final : public kube::Reconciler {
 public:
  explicit ReleaseController(kube::Runtime runtime)
      : client_(runtime.client),
        pods_(runtime.cache.InformerFor(api::kPods)),
        claims_(runtime.cache.InformerFor(api::kResourceClaims)) {}

  base::Result<Requeue> Reconcile(const api::ObjectKey& key) override {
    const auto claim = claims_.Get(key);
    if (!claim) return Requeue::Done();
    COPPICE_ASSIGN(const std::optional<Value> released, Release(key.ns, ResourceClaim(*claim)));
    if (released) COPPICE_TRY(Unprotect(*released));
    return Requeue::Done();
  }

 private:
  // Removes ended pods from the claim. Returns it if no pod holds its devices or is about to: a new
  // claim may be allocated at any moment.
  base::Result<std::optional<Value>> Release(const std::string& ns, ResourceClaim claim) {
    const auto reserved = claim.status().reservedFor();
    if (reserved.empty()) {
      const bool over = kube::IsDeleting(claim.Json()) && !claim.status().has_allocation();
      return over ? std::optional<Value>(claim.Json()) : std::nullopt;
    }
    Value users = Value::Array();
    for (const Consumer user : reserved) {
      if (Uses(ns, user)) users.Append(user.Json());
    }
    if (users.size() == reserved.size()) return std::optional<Value>();
    Value status = claim.status().Json();
    const edit::resource::ResourceClaimStatus edit(status);
    edit.set_reservedFor(users);
    if (users.empty()) {
      edit.clear_reservedFor();
      edit.clear_allocation();
    }
    COPPICE_ASSIGN(const kube::Applied left,
                   kube::PatchStatus(client_, api::kResourceClaims, claim.Json(), status));
    return users.empty() ? std::optional<Value>(left.object) : std::nullopt;
  }

  // The allocator of a claim protects it until its devices are released. If it was allocated again
  // meanwhile, this is a conflict, and it must not be released.
  base::Status Unprotect(const Value& claim) {
    if (!kube::HasFinalizer(claim, kProtection)) return {};
    Value finalizers = Value::Array();
    for (const std::string_view item : ResourceClaim(claim).metadata().finalizers()) {
      if (item != kProtection) finalizers.Append(item);
    }
    Value free = claim;
    edit::resource::ResourceClaim(free).metadata().set_finalizers(std::move(finalizers));
    const auto patched = kube::PatchTo(client_, api::kResourceClaims, claim, free);
    if (!patched && !patched.Is(base::ErrorCode::kNotFound)) return patched.error();
    return {};
  }

  bool Uses(const std::string& ns, Consumer user) const {
    if (user.resource() != api::kPods.plural) return true;
    const auto pod = pods_.Get({ns, std::string(user.name())});
    return pod && kube::Uid(*pod) == user.uid() && !IsDone(Pod(*pod));
  }

  kube::Client& client_;
  kube::Informer& pods_;
  kube::Informer& claims_;
};

// The claims that a pod names, or got.
std::vector<api::ObjectKey> ClaimsOf(const Value& object) {
  const Pod pod(object);
  const std::string ns(pod.metadata().namespace_());
  std::vector<api::ObjectKey> claims;
  const auto add = [&](std::string_view name) {
    if (!name.empty()) claims.push_back({ns, std::string(name)});
  };
  for (const PodResourceClaim claim : pod.spec().resourceClaims()) add(claim.resourceClaimName());
  for (const view::core::PodResourceClaimStatus claim : pod.status().resourceClaimStatuses()) {
    add(claim.resourceClaimName());
  }
  add(pod.status().extendedResourceClaimStatus().resourceClaimName());
  return claims;
}

}  // namespace

void AddResourceClaimController(kube::Manager& manager) {
  const kube::Runtime runtime = manager.runtime();
  kube::ControllerSpec templates{.name = "resource-claim-template"};
  templates.For(api::kPods, [](const kube::Change& change) {
    return !Pod(change.object).spec().resourceClaims().empty();
  });
  manager.AddController(std::move(templates), std::make_unique<TemplateController>(runtime));
  kube::ControllerSpec release{.name = "resource-claim-release"};
  release.For(api::kResourceClaims);
  release.Watches(api::kPods, ClaimsOf);
  manager.AddController(std::move(release), std::make_unique<ReleaseController>(runtime));
}

}  // namespace coppice::services::workloads
