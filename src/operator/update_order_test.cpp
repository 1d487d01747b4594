#include <gtest/gtest.h>

#include "api/well_known.h"
#include "json/yaml.h"
#include "operator/sets_testing.h"

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

// The replicas in the order in which the update gets to them. Pods run again once it has begun.
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

// A pod of a finished set that ends slowly, and its successor: how many of them count as ready.
int64_t ReadyWhileOneEnds(World& world) {
  world.Create(kUpdatedSet);
  EXPECT_TRUE(world.Settle());
  const std::string pod = world.PodOf("demo-0-w-0")["metadata"]["name"].ToString();
  world.MergePatch(api::kPods, pod, "{metadata: {finalizers: [example.com/slow]}}");
  world.Delete(api::kPods, pod);
  EXPECT_TRUE(world.Settle());
  EXPECT_TRUE(world.Exists(api::kPods, pod));
  return world.Get(api::kPodCliques, "demo-0-w")["status"]["readyReplicas"].AsInt();
}

TEST(ReadyPods, AreThoseThatStay) {
  World world(DefaultWorld());
  EXPECT_EQ(ReadyWhileOneEnds(world), 1);
}

TEST(ReadyPods, OfUpstreamAreAlsoThoseThatEnd) {
  World world(GroveWorld());
  EXPECT_EQ(ReadyWhileOneEnds(world), 2);
}

}  // namespace
}  // namespace coppice::operators
