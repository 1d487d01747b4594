// ServiceAccount, role, role binding and token of a set: what the init container needs to watch
// pods.
#include <algorithm>

#include "api/edit/core.h"
#include "api/edit/rbac.h"
#include "api/labels.h"
#include "api/well_known.h"
#include "kube/object.h"
#include "operator/common/names.h"
#include "operator/podcliqueset/objects.h"
#include "operator/runtime/labels.h"
#include "operator/runtime/metadata.h"

namespace coppice::operators::podcliqueset {
namespace {

using api::grove::PodCliqueSet;

json::Value Base(const api::Resource& resource, const PodCliqueSet& set, const std::string& name,
                 std::string_view component, const std::optional<json::Value>& existing) {
  json::Value object = existing ? *existing : kube::NewObject(resource, set.ns(), name);
  std::string app_name = name;
  std::replace(app_name.begin(), app_name.end(), ':', '-');
  StringMap labels = DefaultLabels(set.name());
  labels[std::string(labels::kComponent)] = component;
  labels[std::string(labels::kAppName)] = app_name;
  MergeLabels(object, labels);
  SetController(object, set.object);
  return object;
}

json::Value PodReaderRule() {
  json::Value rule = json::Value::Object();
  edit::rbac::PolicyRule(rule)
      .set_apiGroups(json::Value::Array({""}))
      .set_resources(json::Value::Array({"pods", "pods/status"}))
      .set_verbs(json::Value::Array({"get", "list", "watch"}));
  return rule;
}

}  // namespace

json::Value BuildServiceAccount(const PodCliqueSet& set, const Existing& existing) {
  json::Value account =
      Base(api::kServiceAccounts, set, set.name(), "pod-service-account", existing);
  edit::core::ServiceAccount(account).set_automountServiceAccountToken(true);
  return account;
}

json::Value BuildRole(const PodCliqueSet& set, const Existing& existing) {
  json::Value role = Base(api::kRoles, set, names::Role(set.name()), "pod-role", existing);
  edit::rbac::Role(role).set_rules(json::Value::Array({PodReaderRule()}));
  return role;
}

json::Value BuildRoleBinding(const PodCliqueSet& set, const Existing& existing) {
  const std::string name = names::Role(set.name());
  json::Value binding = Base(api::kRoleBindings, set, name, "pod-role-binding", existing);
  const edit::rbac::RoleBinding edit(binding);
  edit.set_roleRef(json::Value::Object());
  edit.roleRef().set_apiGroup(api::kRoles.group).set_kind(api::kRoles.kind).set_name(name);
  edit.set_subjects(json::Value::Array());
  edit.add_subjects()
      .set_kind(api::kServiceAccounts.kind)
      .set_name(set.name())
      .set_namespace_(set.ns());
  return binding;
}

json::Value BuildTokenSecret(const PodCliqueSet& set) {
  json::Value secret =
      Base(api::kSecrets, set, names::TokenSecret(set.name()), "pod-sa-token-secret", std::nullopt);
  SetAnnotations(secret, {{std::string(api::labels::kTokenAccount), set.name()}});
  edit::core::Secret(secret).set_type("kubernetes.io/service-account-token");
  return secret;
}

}  // namespace coppice::operators::podcliqueset
