#include <gtest/gtest.h>

#include "api/well_known.h"
#include "json/yaml/yaml.h"
#include "operator/tests/rig/sets_testing.h"

namespace coppice::operators {
namespace {

constexpr char kUpdatedSet[] = R"(
apiVersion: grove.io/v1alpha1
kind: PodCliqueSet
metadata: {name: demo}
spec:
  replicas: 3
  template:
    terminationDelay: 4h
    cliques:
    - {name: w, spec: {roleName: w, replicas: 1, podSpec: {containers: [{name: c, image: "i:1"}]}}}
)";

// The replicas in update order. Pods become ready again once the update has started.
std::vector<int64_t> OrderOfUpdate(World& world, size_t replicas) {
  std::vector<int64_t> order;
  for (int step = 0; step < 100'000 && order.size() < replicas; ++step) {
    if (!world.stepper.Step()) world.RunFor(std::chrono::seconds(1));
    const json::Value set = world.Get(api::kPodCliqueSets, "demo");
    const json::Value& updating = set["status"]["updateProgress"]["currentlyUpdating"];
    if (updating.empty()) continue;
    const int64_t replica = updating.At(0)["replicaIndex"].AsInt();
    if (order.empty() || order.back() != replica) order.push_back(replica);
    world.bind = true;
  }
  return order;
}

TEST(UpdateOrder, ReplicasWithoutScheduledPodsThenBreachedOnesThenByIndex) {
  World world(DefaultWorld());
  world.Create(kUpdatedSet);
  ASSERT_TRUE(world.Settle());
  world.bind = false;
  world.Scale(api::kPodCliqueSets, "demo", 4);
  world.RunFor(std::chrono::seconds(20));
  world.SetReady("demo-2-w-0", false);
  world.RunFor(std::chrono::seconds(20));
  ASSERT_TRUE(world.client->Patch(
      api::kPodCliqueSets, {World::kNamespace, "demo"}, kube::PatchType::kJson,
      *json::ParseYaml("[{op: replace, path: /spec/template/cliques/0/spec/podSpec/containers/0/"
                       "image, value: 'i:2'}]")));
  EXPECT_EQ(OrderOfUpdate(world, 4), (std::vector<int64_t>{3, 2, 0, 1}));
  ASSERT_TRUE(world.Settle());
  EXPECT_EQ(PodsWithImage(world, "i:2"), 4);
}

constexpr char kUpdatedGroup[] = R"(
apiVersion: grove.io/v1alpha1
kind: PodCliqueSet
metadata: {name: demo}
spec:
  replicas: 1
  template:
    terminationDelay: 4h
    cliques:
    - {name: w, spec: {roleName: w, replicas: 1, podSpec: {containers: [{name: c, image: "i:1"}]}}}
    podCliqueScalingGroups:
    - {name: g, cliqueNames: [w], replicas: 2, minAvailable: 2}
)";

// Steps until the group's update to another template than `before` has finished; false if it never
// does.
bool StepUntilGroupIsUpdated(World& world, const json::Value& before) {
  for (int step = 0; step < 100'000; ++step) {
    if (!world.stepper.Step()) world.RunFor(std::chrono::seconds(1));
    const json::Value group = world.Get(api::kPodCliqueScalingGroups, "demo-0-g");
    const json::Value& progress = group["status"]["updateProgress"];
    if (progress.IsObject() && progress["podCliqueSetGenerationHash"] != before &&
        progress.Has("updateEndedAt")) {
      return true;
    }
  }
  return false;
}

// No replica is available: all are deleted at once, and recreated.
TEST(UpdateOrder, AGroupIsUpdatedWhenEveryReplicaHasTheNewTemplate) {
  World world(DefaultWorld());
  world.bind = false;
  world.Create(kUpdatedGroup);
  world.RunFor(std::chrono::seconds(20));
  const json::Value before =
      world.Get(api::kPodCliqueSets, "demo")["status"]["currentGenerationHash"];
  ASSERT_TRUE(world.client->Patch(
      api::kPodCliqueSets, {World::kNamespace, "demo"}, kube::PatchType::kJson,
      *json::ParseYaml("[{op: replace, path: /spec/template/cliques/0/spec/podSpec/containers/0/"
                       "image, value: 'i:2'}]")));
  ASSERT_TRUE(StepUntilGroupIsUpdated(world, before));
  std::vector<std::string> images;
  for (const json::Value& clique : world.List(api::kPodCliques)) {
    images.push_back(clique["spec"]["podSpec"]["containers"].At(0)["image"].ToString());
  }
  EXPECT_EQ(images, (std::vector<std::string>{"i:2", "i:2"}));
}

// The clique's status while a pod of a finished set terminates slowly and its replacement exists.
json::Value StatusWhileOneEnds(World& world) {
  world.Create(kUpdatedSet);
  EXPECT_TRUE(world.Settle());
  const std::string pod = world.PodOf("demo-0-w-0")["metadata"]["name"].ToString();
  world.MergePatch(api::kPods, pod, "{metadata: {finalizers: [example.com/slow]}}");
  world.Delete(api::kPods, pod);
  EXPECT_TRUE(world.Settle());
  EXPECT_TRUE(world.Exists(api::kPods, pod));
  return world.Get(api::kPodCliques, "demo-0-w")["status"];
}

TEST(ReadyPods, AreThoseThatStay) {
  World world(DefaultWorld());
  const json::Value status = StatusWhileOneEnds(world);
  EXPECT_EQ(status["readyReplicas"].AsInt(), 1);
  EXPECT_EQ(status["scheduledReplicas"].AsInt(), 1);
}

TEST(ReadyPods, OfUpstreamAreAlsoThoseThatEnd) {
  World world(GroveWorld());
  const json::Value status = StatusWhileOneEnds(world);
  EXPECT_EQ(status["readyReplicas"].AsInt(), 2);
  EXPECT_EQ(status["scheduledReplicas"].AsInt(), 2);
}

}  // namespace
}  // namespace coppice::operators
