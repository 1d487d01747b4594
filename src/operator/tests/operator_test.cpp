#include "operator/operator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/well_known.h"
#include "kube/object.h"
#include "operator/tests/rig/world_testing.h"

namespace coppice::operators {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

// Two standalone cliques and a scaling group of two cliques.
constexpr char kDemoSet[] = R"(
apiVersion: grove.io/v1alpha1
kind: PodCliqueSet
metadata: {name: demo}
spec:
  replicas: 1
  template:
    terminationDelay: 4h
    cliques:
    - name: fe
      spec: {roleName: fe, replicas: 2, minAvailable: 1, podSpec: {containers: [{name: c, image: i}]}}
    - name: ld
      spec: {roleName: ld, replicas: 1, minAvailable: 1, podSpec: {containers: [{name: c, image: i}]}}
    - name: wk
      spec: {roleName: wk, replicas: 3, minAvailable: 2, podSpec: {containers: [{name: c, image: i}]}}
    podCliqueScalingGroups:
    - {name: g, cliqueNames: [ld, wk], replicas: 3, minAvailable: 1}
)";

World::Options GroveOptions(uint64_t seed = 0) {
  World::Options options;
  options.seed = seed;
  options.config.backends.profiles = {{.name = "default-scheduler", .backend = "default"}};
  options.config.backends.policy = &backends::CompatibilityPolicy::Grove();
  return options;
}

TEST(Operator, SetBecomesCliquesGangsAndReadyPods) {
  World world(GroveOptions());
  world.Create(kDemoSet);
  ASSERT_TRUE(world.Settle());
  EXPECT_THAT(world.Names(api::kPodCliqueScalingGroups), ElementsAre("demo-0-g"));
  EXPECT_THAT(world.Names(api::kPodCliques),
              UnorderedElementsAre("demo-0-fe", "demo-0-g-0-ld", "demo-0-g-0-wk", "demo-0-g-1-ld",
                                   "demo-0-g-1-wk", "demo-0-g-2-ld", "demo-0-g-2-wk"));
  EXPECT_THAT(world.Names(api::kPodGangs),
              UnorderedElementsAre("demo-0", "demo-0-g-0", "demo-0-g-1"));
  EXPECT_EQ(world.List(api::kPods).size(), 14u);
  for (const json::Value& pod : world.List(api::kPods)) {
    EXPECT_TRUE(pod["spec"]["schedulingGates"].empty()) << kube::Name(pod);
    EXPECT_TRUE(kube::ConditionIs(pod, "Ready", "True")) << kube::Name(pod);
  }
  const json::Value set = world.Get(api::kPodCliqueSets, "demo");
  EXPECT_EQ(set["status"]["availableReplicas"].AsInt(), 1);
  EXPECT_EQ(set["status"]["updatedReplicas"].AsInt(), 1);
  EXPECT_EQ(set["status"]["observedGeneration"].AsInt(), kube::Generation(set));
}

TEST(Operator, DeletedSetLeavesNothing) {
  World world(GroveOptions());
  world.Create(kDemoSet);
  ASSERT_TRUE(world.Settle());
  world.Delete(api::kPodCliqueSets, "demo");
  ASSERT_TRUE(world.Settle());
  for (const api::Resource& resource :
       {api::kPodCliqueSets, api::kPodCliques, api::kPodCliqueScalingGroups, api::kPodGangs,
        api::kPods, api::kServices, api::kServiceAccounts, api::kSecrets, api::kRoles,
        api::kRoleBindings, api::kHorizontalPodAutoscalers}) {
    for (const std::string& name : world.Names(resource)) {
      EXPECT_FALSE(name.starts_with("demo") || name.find(":demo") != std::string::npos)
          << resource.kind << " " << name;
    }
  }
}

}  // namespace
}  // namespace coppice::operators
