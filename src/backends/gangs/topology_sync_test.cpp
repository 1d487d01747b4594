#include "backends/gangs/topology_sync.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/tests/world_testing.h"
#include "backends/volcano/volcano.h"
#include "kube/object.h"

namespace coppice::backends {
namespace {

using json::Value;

const api::Resource& kBindings = api::kClusterTopologyBindings;

TEST(TopologySync, KaiTopologyIsMadeOwnedAndMadeAgain) {
  World world(
      {.projects = {"grove", "kai"}, .config = "{scheduler: {profiles: [{name: kai-scheduler}]}}"});
  world.Create(ExampleBinding());
  Value binding = world.Get(kBindings, "", "dc1");
  auto states = world.backends->SyncTopology(binding);
  ASSERT_TRUE(states.ok()) << states.error().ToString();
  ASSERT_EQ(states->size(), 1u);
  EXPECT_EQ(states->at(0).scheduler_name, "kai-scheduler");
  EXPECT_TRUE(states->at(0).in_sync);
  const Value made = world.Get(api::kTopologies, "", "dc1");
  EXPECT_EQ(made["spec"]["levels"], Yaml("[{nodeLabel: topology.kubernetes.io/zone}, {nodeLabel: "
                                         "topology.kubernetes.io/rack}, {nodeLabel: "
                                         "kubernetes.io/hostname}]"));
  EXPECT_TRUE(kube::IsOwnedBy(made, kube::Uid(binding)));
  world.Patch(kBindings, "", "dc1", Yaml("{spec: {levels: [{domain: rack, key: x/rack}]}}"));
  binding = world.Get(kBindings, "", "dc1");
  ASSERT_TRUE(world.backends->SyncTopology(binding).ok());
  const Value again = world.Get(api::kTopologies, "", "dc1");
  EXPECT_NE(kube::Uid(again), kube::Uid(made));
  EXPECT_EQ(again["spec"]["levels"], Yaml("[{nodeLabel: x/rack}]"));
}

TEST(TopologySync, ExternalTopologiesAreOnlyCompared) {
  World world(
      {.projects = {"grove", "kai"}, .config = "{scheduler: {profiles: [{name: kai-scheduler}]}}"});
  Value external = ExampleBinding();
  external.Mutable("spec").Set(
      "schedulerTopologyBindings",
      Yaml("[{schedulerName: kai-scheduler, topologyReference: theirs}, {schedulerName: nobody, "
           "topologyReference: x}]"));
  world.Create(external);
  const Value binding = world.Get(kBindings, "", "dc1");
  auto states = world.backends->SyncTopology(binding);
  ASSERT_TRUE(states.ok());
  ASSERT_EQ(states->size(), 2u);
  EXPECT_FALSE(states->at(0).in_sync);
  EXPECT_FALSE(states->at(1).known);
  EXPECT_FALSE(world.Exists(api::kTopologies, "", "dc1"));
  world.Create(
      Yaml("{apiVersion: kai.scheduler/v1alpha1, kind: Topology, metadata: {name: theirs}, "
           "spec: {levels: [{nodeLabel: topology.kubernetes.io/zone}, {nodeLabel: "
           "topology.kubernetes.io/rack}, {nodeLabel: kubernetes.io/hostname}]}}"));
  states = world.backends->SyncTopology(binding);
  EXPECT_TRUE(states->at(0).in_sync) << states->at(0).message;
}

TEST(TopologySync, HyperNodesComeAndGoWithTheirDomains) {
  World world(
      {.projects = {"grove", "volcano"}, .config = "{scheduler: {profiles: [{name: volcano}]}}"});
  world.Create(ExampleBinding());
  for (const std::string rack : {"r1", "r2"}) {
    world.Create(Yaml(
        "{apiVersion: v1, kind: Node, metadata: {name: n-" + rack +
        ", labels: {topology.kubernetes.io/zone: z, topology.kubernetes.io/rack: " + rack + "}}}"));
  }
  world.Settle();
  const Value binding = world.Get(kBindings, "", "dc1");
  ASSERT_TRUE(world.backends->SyncTopology(binding).ok());
  world.Settle();
  EXPECT_EQ(world.List(volcano::kHyperNodes).size(), 3u);
  ASSERT_TRUE(world.client->Delete(api::kNodes, {"", "n-r2"}, {}).ok());
  world.Settle();
  ASSERT_TRUE(world.backends->SyncTopology(binding).ok());
  world.Settle();
  EXPECT_EQ(world.List(volcano::kHyperNodes).size(), 2u);
}

TEST(TopologySync, KueueHasATopologyToo) {
  World world({.projects = {"grove", "kai", "kueue"},
               .config = "{scheduler: {profiles: [{name: kai-scheduler, config: {admission: "
                         "kueue}}]}}"});
  world.Create(ExampleBinding());
  const auto states = world.backends->SyncTopology(world.Get(kBindings, "", "dc1"));
  ASSERT_TRUE(states.ok()) << states.error().ToString();
  ASSERT_EQ(states->size(), 2u);
  EXPECT_EQ(states->at(1).scheduler_name, "kueue");
  const api::Resource topologies{"kueue.x-k8s.io", "v1beta2", "topologies", "Topology", false};
  EXPECT_EQ(world.Get(topologies, "", "dc1")["spec"]["levels"].size(), 3u);
}

TEST(TopologySync, KoordinatorHasOneTopologyCalledDefault) {
  World world({.projects = {"grove", "koordinator"},
               .config = "{scheduler: {profiles: [{name: koord-scheduler}]}}"});
  world.Create(ExampleBinding());
  const auto states = world.backends->SyncTopology(world.Get(kBindings, "", "dc1"));
  ASSERT_TRUE(states.ok());
  EXPECT_EQ(states->at(0).reference, "default");
  EXPECT_TRUE(states->at(0).in_sync);
}

}  // namespace
}  // namespace coppice::backends
