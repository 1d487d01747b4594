#include "services/workloads/resource_claims.h"

#include <fmt/format.h>

#include "api/well_known.h"
#include "kube/apply.h"
#include "kube/object.h"

namespace coppice::services::workloads {
namespace {

using json::Value;
using kube::Requeue;

constexpr const char* kProtection = "resource.kubernetes.io/delete-protection";
constexpr const char* kPodClaimName = "resource.kubernetes.io/pod-claim-name";

bool IsDone(const Value& pod) {
  const std::string_view phase = pod["status"]["phase"].AsString();
  return phase == "Succeeded" || phase == "Failed";
}

const Value& StatusOf(const Value& pod, const Value& name) {
  static const Value kNone;
  for (const Value& status : pod["status"]["resourceClaimStatuses"].Items()) {
    if (status["name"] == name) return status;
  }
  return kNone;
}

class TemplateController final : public kube::Reconciler {
 public:
  explicit TemplateController(kube::Runtime runtime)
      : client_(runtime.client), pods_(runtime.cache.InformerFor(api::kPods)) {}

  base::Result<Requeue> Reconcile(const api::ObjectKey& key) override {
    const auto pod = pods_.Get(key);
    if (!pod || kube::IsDeleting(*pod) || IsDone(*pod)) return Requeue::Done();
    Value statuses = (*pod)["status"]["resourceClaimStatuses"];
    bool changed = false;
    for (const Value& wanted : (*pod)["spec"]["resourceClaims"].Items()) {
      if (!wanted.Has("resourceClaimTemplateName") || !StatusOf(*pod, wanted["name"]).IsNull()) {
        continue;
      }
      COPPICE_ASSIGN(const std::string claim, Make(*pod, wanted));
      if (!statuses.IsArray()) statuses = Value::Array();
      statuses.Append(Value::Object({{"name", wanted["name"]}, {"resourceClaimName", claim}}));
      changed = true;
    }
    if (!changed) return Requeue::Done();
    const Value patch =
        Value::Object({{"status", Value::Object({{"resourceClaimStatuses", statuses}})}});
    COPPICE_TRY(client_.Patch(api::kPods, key, kube::PatchType::kStrategic, patch,
                              {.subresource = "status"}));
    return Requeue::Done();
  }

 private:
  // Named after pod and claim, so that a second try finds the first one's.
  base::Result<std::string> Make(const Value& pod, const Value& wanted) {
    const std::string ns(kube::Namespace(pod));
    COPPICE_ASSIGN(const Value made_from,
                   client_.Get(api::kResourceClaimTemplates,
                               {ns, wanted["resourceClaimTemplateName"].ToString()}));
    const std::string name = fmt::format("{}-{}-{}", kube::Name(pod), wanted["name"].AsString(),
                                         kube::Uid(pod).substr(0, 5));
    Value claim = kube::NewObject(api::kResourceClaims, ns, name);
    const Value& meta = made_from["spec"]["metadata"];
    Value& metadata = claim.Mutable("metadata");
    for (const char* field : {"labels", "annotations"}) {
      if (meta[field].IsObject()) metadata.Set(field, meta[field]);
    }
    metadata.Mutable("annotations").Set(kPodClaimName, wanted["name"]);
    metadata.Set("ownerReferences", Value::Array({kube::MakeControllerReference(pod)}));
    claim.Set("spec", made_from["spec"]["spec"]);
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
    COPPICE_ASSIGN(const std::optional<Value> released, Release(key.ns, *claim));
    if (released) COPPICE_TRY(Unprotect(*released));
    return Requeue::Done();
  }

 private:
  // Takes pods that are done out of the claim. Returns it when nobody holds its devices any more,
  // nor is about to: a claim that was just made may be allocated the next moment.
  base::Result<std::optional<Value>> Release(const std::string& ns, const Value& claim) {
    const Value& reserved = claim["status"]["reservedFor"];
    if (reserved.empty()) {
      const bool over = kube::IsDeleting(claim) && !claim["status"].Has("allocation");
      return over ? std::optional<Value>(claim) : std::nullopt;
    }
    Value users = Value::Array();
    for (const Value& user : reserved.Items()) {
      if (Uses(ns, user)) users.Append(user);
    }
    if (users.size() == reserved.size()) return std::optional<Value>();
    Value status = claim["status"];
    status.Set("reservedFor", users);
    if (users.empty()) {
      status.Erase("reservedFor");
      status.Erase("allocation");
    }
    COPPICE_ASSIGN(const kube::Applied left,
                   kube::PatchStatus(client_, api::kResourceClaims, claim, status));
    return users.empty() ? std::optional<Value>(left.object) : std::nullopt;
  }

  // Whoever allocates a claim protects it until its devices are given back. If somebody allocated
  // it again meanwhile, this is a conflict, and not ours to take.
  base::Status Unprotect(const Value& claim) {
    if (!kube::HasFinalizer(claim, kProtection)) return {};
    Value finalizers = Value::Array();
    for (const Value& item : claim["metadata"]["finalizers"].Items()) {
      if (item.AsString() != kProtection) finalizers.Append(item);
    }
    Value free = claim;
    free.Mutable("metadata").Set("finalizers", std::move(finalizers));
    const auto patched = kube::PatchTo(client_, api::kResourceClaims, claim, free);
    if (!patched && !patched.Is(base::ErrorCode::kNotFound)) return patched.error();
    return {};
  }

  bool Uses(const std::string& ns, const Value& user) const {
    if (user["resource"].AsString() != api::kPods.plural) return true;
    const auto pod = pods_.Get({ns, user["name"].ToString()});
    return pod && kube::Uid(*pod) == user["uid"].AsString() && !IsDone(*pod);
  }

  kube::Client& client_;
  kube::Informer& pods_;
  kube::Informer& claims_;
};

// The claims that a pod names, or got.
std::vector<api::ObjectKey> ClaimsOf(const Value& pod) {
  const std::string ns(kube::Namespace(pod));
  std::vector<api::ObjectKey> claims;
  const auto add = [&](const Value& name) {
    if (!name.AsString().empty()) claims.push_back({ns, name.ToString()});
  };
  for (const Value& claim : pod["spec"]["resourceClaims"].Items()) add(claim["resourceClaimName"]);
  for (const Value& claim : pod["status"]["resourceClaimStatuses"].Items()) {
    add(claim["resourceClaimName"]);
  }
  add(pod["status"]["extendedResourceClaimStatus"]["resourceClaimName"]);
  return claims;
}

}  // namespace

void AddResourceClaimController(kube::Manager& manager) {
  const kube::Runtime runtime = manager.runtime();
  kube::ControllerSpec templates{.name = "resource-claim-template"};
  templates.For(api::kPods, [](const kube::Change& change) {
    return !change.object["spec"]["resourceClaims"].empty();
  });
  manager.AddController(std::move(templates), std::make_unique<TemplateController>(runtime));
  kube::ControllerSpec release{.name = "resource-claim-release"};
  release.For(api::kResourceClaims);
  release.Watches(api::kPods, ClaimsOf);
  manager.AddController(std::move(release), std::make_unique<ReleaseController>(runtime));
}

}  // namespace coppice::services::workloads
