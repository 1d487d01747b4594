// The operator with the permissions of Grove's own, and with those of deploy/grove-chart.
#include <gtest/gtest.h>

#include <set>

#include "api/kai/crds.h"
#include "api/well_known.h"
#include "json/write.h"
#include "json/yaml/yaml.h"
#include "kube/object.h"
#include "operator/tests/rig/roles_testing.h"
#include "operator/tests/rig/sets_testing.h"
#include "operator/tests/rig/yaml_file_testing.h"
#include "source_dir.h"

namespace coppice::operators {
namespace {

using json::Value;

// The rendered ClusterRole of deploy/grove-chart.
Value ChartRole() {
  for (const Value& object :
       ReadYamlFile(std::string(COPPICE_SOURCE_DIR) + "/deploy/manifests/grove.yaml")) {
    if (kube::Kind(object) == "ClusterRole") return object;
  }
  return {};
}

constexpr char kGroveRoleBinding[] = R"(
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: "grove:system:grove-operator"}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: "grove:system:grove-operator"}
subjects: [{kind: ServiceAccount, namespace: team, name: grove-operator}]
)";

// What Grove's chart grants its operator with a profile for KAI.
constexpr char kGroveRole[] = R"(
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: "grove:system:grove-operator"}
rules:
- {apiGroups: [scheduler.grove.io], resources: [podgangs, podgangs/status], verbs: [create, get, list, watch, delete, deletecollection, patch, update]}
- {apiGroups: [grove.io], resources: [podcliquesets, podcliquesets/status, podcliques, podcliques/status, podcliquescalinggroups, podcliquescalinggroups/status, clustertopologybindings, clustertopologybindings/status], verbs: [create, get, list, watch, delete, deletecollection, patch, update]}
- {apiGroups: [""], resources: [nodes], verbs: [get, list, watch]}
- {apiGroups: [""], resources: [pods, pods/status, serviceaccounts, services, secrets], verbs: [create, get, list, watch, delete, deletecollection, patch, update]}
- {apiGroups: [""], resources: [events], verbs: [create, get, list, watch, patch]}
- {apiGroups: [rbac.authorization.k8s.io], resources: [roles, rolebindings], verbs: [create, get, list, watch, delete]}
- {apiGroups: [autoscaling], resources: [horizontalpodautoscalers], verbs: [create, get, list, watch, delete, deletecollection, patch, update]}
- {apiGroups: [admissionregistration.k8s.io], resources: [validatingwebhookconfigurations, mutatingwebhookconfigurations], verbs: [get, list, watch, update]}
- {apiGroups: [resource.k8s.io], resources: [resourceclaims], verbs: [create, get, list, watch, delete, deletecollection, patch, update]}
- {apiGroups: [resource.k8s.io], resources: [resourceclaimtemplates], verbs: [get, list, watch]}
- {apiGroups: [kai.scheduler], resources: [topologies], verbs: [create, get, list, watch, patch, update, delete]}
- {apiGroups: [scheduling.run.ai], resources: [podgroups], verbs: [create, get, list, watch, patch, update, delete]}
)";

// What our chart grants in addition, and why: Kubernetes' gang API, and watching when it or a
// scheduler's CRDs appear, which upstream does not do; repairing a role that someone changed;
// webhooks that are not installed yet.
constexpr char kBeyondGrove[] = R"(
- {apiGroups: [apiextensions.k8s.io], resources: [customresourcedefinitions], verbs: [get, list, watch]}
- {apiGroups: [rbac.authorization.k8s.io], resources: [roles, rolebindings], verbs: [patch]}
- {apiGroups: [admissionregistration.k8s.io], resources: [validatingwebhookconfigurations, mutatingwebhookconfigurations], verbs: [create]}
- {apiGroups: [scheduling.k8s.io], resources: [workloads, podgroups], verbs: [create, get, list, watch, patch, delete]}
)";

std::set<std::string> RulesIn(const Value& rules) {
  std::set<std::string> texts;
  for (const Value& rule : rules.Items()) texts.insert(json::Write(rule));
  return texts;
}

TEST(RightsOfTheGroveChart, AreThoseOfGroveAndAFewMore) {
  std::set<std::string> expected = RulesIn((*json::ParseYaml(kGroveRole))["rules"]);
  expected.merge(RulesIn(*json::ParseYaml(kBeyondGrove)));
  EXPECT_EQ(RulesIn(ChartRole()["rules"]), expected);
}

// The whole life of a set with only this role.
void LiveWith(const Value& role, World::Options options) {
  options.config.backends.profiles.push_back({.name = "kai-scheduler", .backend = "kai"});
  options.crds = api::kai::Crds();
  World world(std::move(options));
  ASSERT_TRUE(world.client->Create(kClusterRoles, role));
  ASSERT_TRUE(world.client->Create(kClusterRoleBindings, *json::ParseYaml(kGroveRoleBinding)));
  world.operator_account = "grove-operator";
  world.Restart();
  world.Create(R"(
apiVersion: grove.io/v1alpha1
kind: PodCliqueSet
metadata: {name: app, labels: {kai.scheduler/queue: team}}
spec:
  replicas: 2
  template:
    cliqueStartupType: CliqueStartupTypeInOrder
    cliques:
    - {name: a, spec: {roleName: a, replicas: 1, autoScalingConfig: {maxReplicas: 3}, podSpec: {schedulerName: kai-scheduler, containers: [{name: c, image: i}]}}}
    - {name: b, spec: {roleName: b, replicas: 2, podSpec: {schedulerName: kai-scheduler, containers: [{name: c, image: i}]}}}
    podCliqueScalingGroups: [{name: g, cliqueNames: [b], replicas: 2}]
)");
  ASSERT_TRUE(world.Settle());
  const Value status = world.Get(api::kPodCliqueSets, "app")["status"];
  EXPECT_EQ(status["availableReplicas"].AsInt(), 2);
  EXPECT_TRUE(status["lastErrors"].empty());
  EXPECT_EQ(world.List(api::kPods).size(), 10u);
  EXPECT_EQ(world.List(api::kPodGroups).size(), 4u);
  world.Scale(api::kPodCliqueSets, "app", 1);
  ASSERT_TRUE(world.Settle());
  EXPECT_EQ(world.List(api::kPods).size(), 5u);
  EXPECT_TRUE(world.Get(api::kPodCliqueSets, "app")["status"]["lastErrors"].empty());
  world.Delete(api::kPodCliqueSets, "app");
  ASSERT_TRUE(world.Settle());
  EXPECT_TRUE(world.List(api::kPods).empty());
}

TEST(RightsOfGrove, AreEnoughUnderItsProfile) {
  LiveWith(*json::ParseYaml(kGroveRole), GroveWorld());
}

TEST(RightsOfTheGroveChart, AreEnoughUnderOurs) { LiveWith(ChartRole(), DefaultWorld()); }

}  // namespace
}  // namespace coppice::operators
