#include "backends/gangs/rbac.h"

#include <algorithm>
#include <map>
#include <set>

#include "api/edit/backendfiles.h"
#include "api/edit/rbac.h"
#include "api/well_known.h"
#include "backends/kueue/kueue.h"
#include "base/check.h"

namespace coppice::backends {
namespace {

using json::Value;

// Verbs by group and resource: one entry per resource, however many backends use it.
using Rights = std::map<std::pair<std::string, std::string>, std::set<std::string>>;

const std::set<std::string> kRead = {"get", "list", "watch"};
const std::set<std::string> kWrite = {"get", "list", "watch", "create", "patch", "delete"};

void Grant(const api::Resource& resource, const std::set<std::string>& verbs, Rights& rights) {
  rights[{resource.group, resource.plural}].insert(verbs.begin(), verbs.end());
}

void GrantCommon(Rights& rights) {
  Grant(api::kPodGangs, {"get", "list", "watch", "patch"}, rights);
  rights[{api::kPodGangs.group, "podgangs/status"}] = {"patch"};
  // For owner references with blockOwnerDeletion, if the API server enforces that permission.
  rights[{api::kPodGangs.group, "podgangs/finalizers"}] = {"update"};
  for (const api::Resource* resource :
       {&api::kPodCliqueSets, &api::kPodCliques, &api::kPodCliqueScalingGroups,
        &api::kClusterTopologyBindings, &api::kNodes, &api::kPods,
        &api::kCustomResourceDefinitions}) {
    Grant(*resource, kRead, rights);
  }
  rights[{"", "events"}] = {"create", "patch"};
}

void GrantUse(const ResourceUse& use, Rights& rights) {
  if (!use.documents.empty()) {
    Grant(use.resource, {"get"}, rights);
    return;
  }
  Grant(use.resource, use.write ? kWrite : kRead, rights);
  if (!use.canary.IsNull()) Grant(use.resource, {"create"}, rights);
  // Kueue waits for us to report readiness.
  if (use.write && use.resource.group == kueue::kGroup) {
    rights[{use.resource.group, use.resource.plural + "/status"}] = {"patch"};
  }
}

// What the operator needs in order to complete pods and sync topologies.
void GrantOperatorUse(const ResourceUse& use, Rights& rights) {
  if (!use.documents.empty()) return GrantUse(use, rights);
  // Only the backend's process needs the scheduler's events.
  if (!use.field_selector.empty()) return;
  Grant(use.resource, use.topology ? kWrite : kRead, rights);
  if (!use.canary.IsNull()) Grant(use.resource, {"create"}, rights);
}

// Restarting a gang means deleting its pods.
void GrantRestarts(Rights& rights) { Grant(api::kPods, {"delete"}, rights); }

void GrantKueue(Rights& rights) {
  for (const ResourceUse& use : kueue::Resources()) GrantUse(use, rights);
  GrantRestarts(rights);
  Grant(api::kPriorityClasses, kRead, rights);
}

void GrantBackend(const SchedulerBackend& backend, Rights& rights) {
  for (const ResourceUse& use : backend.Resources()) GrantUse(use, rights);
  if (backend.name() == "yunikorn") GrantRestarts(rights);
}

Value TextsOf(const std::set<std::string>& items) {
  Value out = Value::Array();
  for (const std::string& item : items) out.Append(item);
  return out;
}

Value Rules(const Rights& rights) {
  Value rules = Value::Array();
  const edit::List<edit::rbac::PolicyRule> list(rules);
  for (const auto& [resource, verbs] : rights) {
    list.Add()
        .set_apiGroups(Value::Array({resource.first}))
        .set_resources(Value::Array({resource.second}))
        .set_verbs(TextsOf(verbs));
  }
  return rules;
}

Value RulesByDuty(const Rights& process, const std::vector<ResourceUse>& uses) {
  Rights operator_alone, both = process;
  for (const ResourceUse& use : uses) {
    GrantOperatorUse(use, operator_alone);
    GrantOperatorUse(use, both);
  }
  Value rules;
  edit::backendfiles::RulesByDuty(rules)
      .set_process(Rules(process))
      .set_operator_(Rules(operator_alone))
      .set_both(Rules(both));
  return rules;
}

}  // namespace

Value RulesByBackend() {
  const auto all = BackendSet::Make(AllBackends());
  COPPICE_CHECK(all.ok());
  Value by_backend = Value::Object();
  for (const BackendInstance& instance : (*all)->instances()) {
    Rights process;
    GrantCommon(process);
    GrantBackend(*instance.backend, process);
    Value rules = RulesByDuty(process, instance.backend->Resources());
    edit::backendfiles::RulesByDuty(rules).set_schedulerName(instance.profile.name);
    by_backend.Set(instance.backend->name(), std::move(rules));
  }
  Rights layer;
  GrantKueue(layer);
  by_backend.Set(kueue::kName, RulesByDuty(layer, kueue::Resources()));
  return by_backend;
}

Value MakeClusterRole(const BackendSet& backends, const std::string& name,
                      const std::vector<std::string>& only) {
  Rights rights;
  GrantCommon(rights);
  for (const BackendInstance& instance : backends.instances()) {
    const std::string id(instance.backend->name());
    if (!only.empty() && std::find(only.begin(), only.end(), id) == only.end()) continue;
    GrantBackend(*instance.backend, rights);
    if (instance.profile.KueueAdmission()) GrantKueue(rights);
  }
  Value role;
  const edit::rbac::ClusterRole edit(role);
  edit.set_apiVersion("rbac.authorization.k8s.io/v1").set_kind("ClusterRole");
  edit.metadata().set_name(name);
  edit.set_rules(Rules(rights));
  return role;
}

}  // namespace coppice::backends
