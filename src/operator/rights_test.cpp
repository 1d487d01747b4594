// The operator with the rights that deploy/grove-chart gives it and no others.
#include <gtest/gtest.h>

#include "api/kai/crds.h"
#include "api/well_known.h"
#include "json/yaml.h"
#include "kube/object.h"
#include "operator/sets_testing.h"
#include "operator/shared_crds_testing.h"
#include "source_dir.h"

namespace coppice::operators {
namespace {

using json::Value;

// The ClusterRole of deploy/grove-chart, as it renders.
Value ChartRole() {
  for (const Value& object :
       ReadYamlFile(std::string(COPPICE_SOURCE_DIR) + "/deploy/manifests/grove.yaml")) {
    if (kube::Kind(object) == "ClusterRole") return object;
  }
  return {};
}

constexpr char kBinding[] = R"(
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: "grove:system:grove-operator"}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: "grove:system:grove-operator"}
subjects: [{kind: ServiceAccount, namespace: team, name: grove-operator}]
)";

const api::Resource kClusterRoles{"rbac.authorization.k8s.io", "v1", "clusterroles", "ClusterRole",
                                  false};
const api::Resource kClusterRoleBindings{"rbac.authorization.k8s.io", "v1", "clusterrolebindings",
                                         "ClusterRoleBinding", false};

TEST(RightsOfTheGroveChart, AreEnoughForALife) {
  World::Options options = GroveWorld();
  options.config.backends.profiles.push_back({.name = "kai-scheduler", .backend = "kai"});
  options.crds = api::kai::Crds();
  World world(std::move(options));
  ASSERT_TRUE(world.client->Create(kClusterRoles, ChartRole()));
  ASSERT_TRUE(world.client->Create(kClusterRoleBindings, *json::ParseYaml(kBinding)));
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

}  // namespace
}  // namespace coppice::operators
