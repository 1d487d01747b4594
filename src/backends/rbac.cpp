#include "backends/rbac.h"

#include <algorithm>
#include <map>
#include <set>

#include "api/well_known.h"
#include "backends/translate.h"

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
  // Kueue waits for our word on readiness.
  if (use.write && use.resource.group == "kueue.x-k8s.io") {
    rights[{use.resource.group, use.resource.plural + "/status"}] = {"patch"};
  }
}

Value List(const std::set<std::string>& items) {
  Value out = Value::Array();
  for (const std::string& item : items) out.Append(item);
  return out;
}

}  // namespace

Value MakeClusterRole(const BackendSet& backends, const std::string& name,
                      const std::vector<std::string>& only) {
  Rights rights;
  GrantCommon(rights);
  for (const BackendInstance& instance : backends.instances()) {
    const std::string id(instance.backend->name());
    if (!only.empty() && std::find(only.begin(), only.end(), id) == only.end()) continue;
    for (const ResourceUse& use : UsesOf(*instance.backend, instance.profile)) {
      GrantUse(use, rights);
    }
    // Starting a gang over means deleting its pods.
    if (id == "yunikorn" || instance.profile.KueueAdmission()) {
      Grant(api::kPods, {"delete"}, rights);
    }
    if (instance.profile.KueueAdmission()) Grant(api::kPriorityClasses, kRead, rights);
  }
  Value rules = Value::Array();
  for (const auto& [resource, verbs] : rights) {
    rules.Append(Value::Object({{"apiGroups", Value::Array({resource.first})},
                                {"resources", Value::Array({resource.second})},
                                {"verbs", List(verbs)}}));
  }
  return Value::Object({{"apiVersion", "rbac.authorization.k8s.io/v1"},
                        {"kind", "ClusterRole"},
                        {"metadata", Value::Object({{"name", name}})},
                        {"rules", std::move(rules)}});
}

}  // namespace coppice::backends
