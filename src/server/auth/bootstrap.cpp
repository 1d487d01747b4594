#include "server/auth/bootstrap.h"

#include <fmt/format.h>

#include "kube/object.h"
#include "server/authorization/node_authorizer.h"
#include "server/rbac/short_rule.h"

namespace coppice::server {
namespace {

constexpr const char* kAutoUpdate = "rbac.authorization.kubernetes.io/autoupdate";

struct RoleRow {
  const char* name;
  const char* aggregate;           // Label value of roles that this one gathers, or "".
  const char* gathers_into;        // The aggregation this role is part of, or "".
  std::vector<const char*> rules;  // See ParseShortRule.
};

const std::vector<RoleRow>& Roles() {
  static const std::vector<RoleRow> roles = {
      {"cluster-admin", "", "", {"* @ * @ *", "* @ /*"}},
      {"system:aggregate-to-admin",
       "",
       "admin",
       {"create @ authorization.k8s.io @ localsubjectaccessreviews",
        "create delete deletecollection get list patch update watch @ rbac.authorization.k8s.io @ "
        "rolebindings roles"}},
      {"system:aggregate-to-edit",
       "",
       "edit",
       {"get list watch @ - @ pods/attach pods/exec pods/portforward pods/proxy secrets "
        "services/proxy",
        "impersonate @ - @ serviceaccounts",
        "create delete deletecollection patch update @ - @ pods pods/attach pods/exec "
        "pods/portforward pods/proxy",
        "create @ - @ pods/eviction serviceaccounts/token",
        "create delete deletecollection patch update @ - @ configmaps events "
        "persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets "
        "serviceaccounts services services/proxy",
        "create delete deletecollection patch update @ apps @ daemonsets deployments "
        "deployments/rollback deployments/scale replicasets replicasets/scale statefulsets "
        "statefulsets/scale",
        "create delete deletecollection patch update @ autoscaling @ horizontalpodautoscalers",
        "create delete deletecollection patch update @ batch @ cronjobs jobs",
        "create delete deletecollection patch update @ policy @ poddisruptionbudgets",
        "create delete deletecollection patch update @ networking.k8s.io @ ingresses "
        "networkpolicies",
        "create delete deletecollection get list patch update watch @ coordination.k8s.io @ "
        "leases",
        "create delete deletecollection patch update @ resource.k8s.io @ resourceclaims "
        "resourceclaimtemplates"}},
      {"system:aggregate-to-view",
       "",
       "view",
       {"get list watch @ - @ configmaps endpoints persistentvolumeclaims "
        "persistentvolumeclaims/status pods replicationcontrollers replicationcontrollers/scale "
        "serviceaccounts services services/status",
        "get list watch @ - @ bindings events limitranges namespaces namespaces/status pods/log "
        "pods/status replicationcontrollers/status resourcequotas resourcequotas/status",
        "get list watch @ discovery.k8s.io @ endpointslices",
        "get list watch @ apps @ controllerrevisions daemonsets daemonsets/status deployments "
        "deployments/scale deployments/status replicasets replicasets/scale replicasets/status "
        "statefulsets statefulsets/scale statefulsets/status",
        "get list watch @ autoscaling @ horizontalpodautoscalers horizontalpodautoscalers/status",
        "get list watch @ batch @ cronjobs cronjobs/status jobs jobs/status",
        "get list watch @ policy @ poddisruptionbudgets poddisruptionbudgets/status",
        "get list watch @ networking.k8s.io @ ingresses ingresses/status networkpolicies",
        "get list watch @ resource.k8s.io @ resourceclaims resourceclaims/status "
        "resourceclaimtemplates"}},
      {"system:discovery",
       "",
       "",
       {"get @ /api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version "
        "/version/"}},
      {"system:public-info-viewer", "", "", {"get @ /healthz /livez /readyz /version /version/"}},
      {"system:basic-user",
       "",
       "",
       {"create @ authorization.k8s.io @ selfsubjectaccessreviews selfsubjectrulesreviews",
        "create @ authentication.k8s.io @ selfsubjectreviews"}},
      {"system:monitoring",
       "",
       "",
       {"get @ /healthz /healthz/* /livez /livez/* /metrics /metrics/slis /readyz /readyz/*"}},
      {"system:service-account-issuer-discovery",
       "",
       "",
       {"get @ /.well-known/openid-configuration /.well-known/openid-configuration/ "
        "/openid/v1/jwks /openid/v1/jwks/"}},
      {"system:auth-delegator",
       "",
       "",
       {"create @ authentication.k8s.io @ tokenreviews",
        "create @ authorization.k8s.io @ subjectaccessreviews"}},
      {"system:kube-scheduler",
       "",
       "",
       {"create patch update @ - events.k8s.io @ events", "create @ coordination.k8s.io @ leases",
        "get list watch @ coordination.k8s.io @ leases",
        "get update @ coordination.k8s.io @ leases",
        "get list watch @ - @ nodes namespaces pods persistentvolumeclaims persistentvolumes "
        "replicationcontrollers services configmaps",
        "delete @ - @ pods", "create @ - @ bindings pods/binding",
        "patch update @ - @ pods/status nodes/status",
        "get list watch @ apps @ replicasets statefulsets",
        "get list watch @ policy @ poddisruptionbudgets",
        "patch update @ - @ persistentvolumeclaims persistentvolumes",
        "get list watch @ storage.k8s.io @ csinodes csidrivers csistoragecapacities "
        "storageclasses volumeattachments",
        "get list watch patch update @ resource.k8s.io @ deviceclasses resourceclaims "
        "resourceclaims/status resourceslices",
        "get list watch patch update @ scheduling.k8s.io @ workloads podgroups "
        "podgroups/status compositepodgroups compositepodgroups/status",
        "create @ authentication.k8s.io @ tokenreviews",
        "create @ authorization.k8s.io @ subjectaccessreviews"}},
      {"system:kube-controller-manager", "", "", {"* @ * @ *", "get @ /*"}},
      {"system:node", "", "", NodeRuleTexts()},
      // Last, because the roles they aggregate must exist.
      {"view", "view", "edit", {}},
      {"edit", "edit", "admin", {}},
      {"admin", "admin", "", {}},
  };
  return roles;
}

struct BindingRow {
  const char* name;
  const char* role;
  std::vector<std::pair<const char*, const char*>> subjects;  // Kind, name.
};

const std::vector<BindingRow>& Bindings() {
  static const std::vector<BindingRow> bindings = {
      {"cluster-admin", "cluster-admin", {{"Group", "system:masters"}}},
      {"system:discovery", "system:discovery", {{"Group", "system:authenticated"}}},
      {"system:public-info-viewer",
       "system:public-info-viewer",
       {{"Group", "system:authenticated"}, {"Group", "system:unauthenticated"}}},
      {"system:basic-user", "system:basic-user", {{"Group", "system:authenticated"}}},
      {"system:monitoring", "system:monitoring", {{"Group", "system:monitoring"}}},
      {"system:service-account-issuer-discovery",
       "system:service-account-issuer-discovery",
       {{"Group", "system:serviceaccounts"}}},
      {"system:kube-scheduler", "system:kube-scheduler", {{"User", "system:kube-scheduler"}}},
      {"system:kube-controller-manager",
       "system:kube-controller-manager",
       {{"User", "system:kube-controller-manager"}}},
      // Nodes get their rights from the node authorizer.
      {"system:node", "system:node", {}},
  };
  return bindings;
}

json::Value NewPolicyObject(const char* kind, const char* name) {
  json::Value object =
      json::Value::Object({{"apiVersion", "rbac.authorization.k8s.io/v1"}, {"kind", kind}});
  object.Mutable("metadata").Set("name", name);
  object.Mutable("metadata").Mutable("labels").Set("kubernetes.io/bootstrapping", "rbac-defaults");
  object.Mutable("metadata").Mutable("annotations").Set(kAutoUpdate, "true");
  return object;
}

json::Value RoleObject(const RoleRow& row) {
  json::Value role = NewPolicyObject("ClusterRole", row.name);
  const auto label = [](std::string_view of) {
    return fmt::format("rbac.authorization.k8s.io/aggregate-to-{}", of);
  };
  if (row.gathers_into[0] != 0) {
    role.Mutable("metadata").Mutable("labels").Set(label(row.gathers_into), "true");
  }
  if (row.aggregate[0] != 0) {
    json::Value selector = json::Value::Object();
    selector.Mutable("matchLabels").Set(label(row.aggregate), "true");
    role.Mutable("aggregationRule").Set("clusterRoleSelectors", json::Value::Array({selector}));
  }
  json::Value rules = json::Value::Array();
  for (const char* rule : row.rules) rules.Append(ParseShortRule(rule).ToJson());
  return role.Set("rules", std::move(rules));
}

json::Value BindingObject(const BindingRow& row) {
  json::Value binding = NewPolicyObject("ClusterRoleBinding", row.name);
  for (const auto& [kind, name] : row.subjects) {
    binding.Mutable("subjects")
        .Append(json::Value::Object(
            {{"apiGroup", "rbac.authorization.k8s.io"}, {"kind", kind}, {"name", name}}));
  }
  return binding.Set("roleRef", json::Value::Object({{"apiGroup", "rbac.authorization.k8s.io"},
                                                     {"kind", "ClusterRole"},
                                                     {"name", row.role}}));
}

base::Status Ensure(Core& core, const char* plural, const json::Value& object) {
  Request request{.served = core.registry()->Find("rbac.authorization.k8s.io", "v1", plural),
                  .user = User::Admin(),
                  .field_manager = "kube-apiserver"};
  if (core.store().Get(request.served->storage, kube::Name(object))) return {};
  COPPICE_TRY(core.Create(request, object));
  return {};
}

// Data folders of earlier releases bind the role to all nodes, which lets each read every Secret.
base::Status UnbindNodes(Core& core) {
  const Request request{
      .served = core.registry()->Find("rbac.authorization.k8s.io", "v1", "clusterrolebindings"),
      .name = "system:node",
      .user = User::Admin(),
      .field_manager = "kube-apiserver"};
  const store::VersionPtr found = core.store().Get(request.served->storage, request.name);
  if (!found) return {};
  const json::Value& subjects = found->value()["subjects"];
  const bool as_created = subjects.size() == 1 && subjects.At(0)["kind"].AsString() == "Group" &&
                          subjects.At(0)["name"].AsString() == "system:nodes" &&
                          kube::Annotation(found->value(), kAutoUpdate) == "true";
  if (!as_created) return {};
  json::Value binding = found->value();
  binding.Erase("subjects");
  COPPICE_TRY(core.Update(request, binding));
  return {};
}

}  // namespace

base::Status EnsureBootstrapPolicy(Core& core) {
  COPPICE_TRY(UnbindNodes(core));
  for (const RoleRow& row : Roles()) COPPICE_TRY(Ensure(core, "clusterroles", RoleObject(row)));
  for (const BindingRow& row : Bindings()) {
    COPPICE_TRY(Ensure(core, "clusterrolebindings", BindingObject(row)));
  }
  return {};
}

}  // namespace coppice::server
