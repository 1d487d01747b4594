// Volcano's topology and configuration appear and disappear while gangs wait.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/tests/example_testing.h"
#include "backends/volcano/volcano.h"
#include "kube/object.h"

namespace coppice::backends::volcano {
namespace {

using json::Value;
using testing::HasSubstr;

const World::Options kOptions{.projects = {"grove", "volcano"},
                              .config = "{scheduler: {profiles: [{name: volcano}]}}"};

Value SchedulerConfig(const std::string& plugins) {
  return Yaml(
      "{apiVersion: v1, kind: ConfigMap, metadata: {name: volcano-scheduler-configmap, namespace: "
      "volcano-system}, data: {volcano-scheduler.conf: 'tiers: [{plugins: [" +
      plugins + "]}]'}}");
}

TEST(VolcanoFlow, APluginThatIsTakenAwayIsNoticedWithinSeconds) {
  World world(kOptions);
  OpenQueue(world, "team-a");
  world.Create(Yaml("{apiVersion: v1, kind: Namespace, metadata: {name: volcano-system}}"));
  world.Create(SchedulerConfig("{name: gang}, {name: network-topology-aware}"));
  world.RunFor(std::chrono::seconds(6));
  Example example(world, "volcano");
  example.CreatePods();
  ASSERT_EQ(example.Synced(), "True Synced");
  world.Patch(api::kConfigMaps, "volcano-system", "volcano-scheduler-configmap",
              Value::Object({{"data", SchedulerConfig("{name: gang}")["data"]}}));
  world.RunFor(std::chrono::seconds(6));
  EXPECT_THAT(example.Synced(), HasSubstr("network-topology-aware"));
  EXPECT_EQ(example.Release(), 0);
  world.Patch(api::kConfigMaps, "volcano-system", "volcano-scheduler-configmap",
              Value::Object({{"data", SchedulerConfig("{name: network-topology-aware}")["data"]}}));
  world.RunFor(std::chrono::seconds(6));
  EXPECT_EQ(example.Synced(), "True Synced");
}

TEST(VolcanoFlow, AGangWaitsForTheHyperNodesOfItsLevel) {
  World world(kOptions);
  OpenQueue(world, "team-a");
  Example example(world, "volcano");
  for (const Value& node : world.List(kHyperNodes)) {
    ASSERT_TRUE(world.client->Delete(kHyperNodes, kube::KeyOf(node)).ok());
  }
  world.Settle();
  world.manager->Enqueue("backend-volcano", {"ai", "llm-0"});
  example.CreatePods();
  EXPECT_THAT(example.Synced(), HasSubstr("False TopologyUnresolved"));
  EXPECT_EQ(example.Release(), 0);
  const Value binding = world.Get(api::kClusterTopologyBindings, "", "dc1");
  ASSERT_TRUE(world.backends->SyncTopology(binding).ok());
  world.RunFor(std::chrono::seconds(20));
  EXPECT_EQ(example.Synced(), "True Synced");
  EXPECT_EQ(example.Release(), 7);
}

}  // namespace
}  // namespace coppice::backends::volcano
