// Service account, role, role binding and token of a set: what the init container that orders
// startup needs to watch pods.
#include <algorithm>

#include "api/well_known.h"
#include "kube/object.h"
#include "operator/common/labels.h"
#include "operator/common/metadata.h"
#include "operator/common/names.h"
#include "operator/podcliqueset/components.h"

namespace coppice::operators::podcliqueset {
namespace {

using api::grove::PodCliqueSet;

json::Value Base(const kube::Resource& resource, const PodCliqueSet& set, const std::string& name,
                 std::string_view component, const std::optional<json::Value>& existing) {
  json::Value object = existing ? *existing : kube::NewObject(resource, set.ns(), name);
  std::string app_name = name;
  std::replace(app_name.begin(), app_name.end(), ':', '-');
  StringMap labels = DefaultLabels(set.name());
  labels[std::string(kComponentLabel)] = component;
  labels[std::string(kAppNameLabel)] = app_name;
  MergeLabels(object, labels);
  SetController(object, set.object);
  return object;
}

json::Value PodReaderRule() {
  return json::Value::Object({{"apiGroups", json::Value::Array({""})},
                              {"resources", json::Value::Array({"pods", "pods/status"})},
                              {"verbs", json::Value::Array({"get", "list", "watch"})}});
}

Outcome Finish(const base::Result<Writer::Written>& written, std::string_view code,
               std::string_view operation) {
  if (!written) return Outcome::Failed(code, operation, written.error());
  return Outcome::Done();
}

bool NeedsToken(const PodCliqueSet& set) {
  return set.spec.template_.StartupType() != api::grove::kStartAnyOrder;
}

bool MountsSecret(const json::Value& pod, std::string_view secret) {
  const auto volumes = pod["spec"]["volumes"].Items();
  return std::any_of(volumes.begin(), volumes.end(), [&](const json::Value& volume) {
    return volume["secret"]["secretName"].AsString() == secret;
  });
}

// Earlier releases called the secret otherwise; pods that still mount that one keep it alive.
Outcome DeleteLegacySecret(const Context& context, const PodCliqueSet& set) {
  const std::string name = names::LegacyTokenSecret(set.name());
  const auto legacy = context.secrets.Get({set.ns(), name});
  if (!legacy || kube::ControllerOwner(*legacy)["uid"].AsString() != set.uid()) {
    return Outcome::Done();
  }
  for (const json::Value& pod : context.PartOf(context.pods, set.ns(), set.name())) {
    if (MountsSecret(pod, name)) return Outcome::Done();
  }
  OPERATOR_TRY("ERR_DELETE_SECRET", "Sync", context.writer().Delete(api::kSecrets, *legacy));
  return Outcome::Done();
}

Outcome CreateTokenSecret(const Context& context, const PodCliqueSet& set,
                          const std::string& name) {
  json::Value secret = Base(api::kSecrets, set, name, "pod-sa-token-secret", std::nullopt);
  SetAnnotations(secret, {{"kubernetes.io/service-account.name", set.name()}});
  secret.Set("type", "kubernetes.io/service-account-token");
  const auto created = context.runtime.client.Create(api::kSecrets, secret);
  if (created) return Outcome::Done();
  if (!created.Is(base::ErrorCode::kAlreadyExists)) {
    return Outcome::Failed("ERR_CREATE_SECRET", "Sync", created.error());
  }
  // Either the cache is behind, or the secret is somebody else's and our cache does not hold it.
  const auto existing = context.runtime.client.Get(api::kSecrets, {set.ns(), name});
  OPERATOR_TRY("ERR_GET_SECRET", "Sync", existing);
  if (kube::ControllerOwner(*existing)["uid"].AsString() == set.uid()) return Outcome::Done();
  return Outcome::Failed("ERR_SECRET_CONFLICT", "Sync",
                         base::AlreadyExists("secret " + name + " exists and is not controlled by "
                                             "this PodCliqueSet"));
}

}  // namespace

Outcome SyncServiceAccount(const Context& context, const PodCliqueSet& set) {
  const auto existing = context.service_accounts.Get({set.ns(), set.name()});
  json::Value account =
      Base(api::kServiceAccounts, set, set.name(), "pod-service-account", existing);
  account.Set("automountServiceAccountToken", true);
  return Finish(context.writer().CreateOrPatch(api::kServiceAccounts, existing, account),
                "ERR_SYNC_SERVICEACCOUNT", "Sync");
}

Outcome SyncRole(const Context& context, const PodCliqueSet& set) {
  const std::string name = names::Role(set.name());
  const auto existing = context.roles.Get({set.ns(), name});
  json::Value role = Base(api::kRoles, set, name, "pod-role", existing);
  role.Set("rules", json::Value::Array({PodReaderRule()}));
  return Finish(context.writer().CreateOrPatch(api::kRoles, existing, role), "ERR_SYNC_ROLE",
                "Sync");
}

Outcome SyncRoleBinding(const Context& context, const PodCliqueSet& set) {
  const std::string name = names::Role(set.name());
  const auto existing = context.role_bindings.Get({set.ns(), name});
  json::Value binding = Base(api::kRoleBindings, set, name, "pod-role-binding", existing);
  binding.Set("roleRef", json::Value::Object({{"apiGroup", "rbac.authorization.k8s.io"},
                                              {"kind", "Role"},
                                              {"name", name}}));
  binding.Set("subjects",
              json::Value::Array({json::Value::Object({{"kind", "ServiceAccount"},
                                                       {"name", set.name()},
                                                       {"namespace", set.ns()}})}));
  return Finish(context.writer().CreateOrPatch(api::kRoleBindings, existing, binding),
                "ERR_SYNC_ROLEBINDING", "Sync");
}

Outcome SyncTokenSecret(const Context& context, const PodCliqueSet& set) {
  const std::string name = names::TokenSecret(set.name());
  const auto existing = context.secrets.Get({set.ns(), name});
  if (!existing) {
    const Outcome created = CreateTokenSecret(context, set, name);
    if (!created.done() || !NeedsToken(set)) return created;
    return Outcome::RequeueAfter("the token of secret " + name + " is not there yet");
  }
  if (kube::ControllerOwner(*existing)["uid"].AsString() != set.uid()) {
    return Outcome::Failed("ERR_SECRET_CONFLICT", "Sync",
                           base::AlreadyExists("secret " + name + " is controlled by another object"));
  }
  if (NeedsToken(set) && (*existing)["data"]["token"].AsString().empty()) {
    return Outcome::RequeueAfter("the token of secret " + name + " is not there yet");
  }
  return DeleteLegacySecret(context, set);
}

}  // namespace coppice::operators::podcliqueset
