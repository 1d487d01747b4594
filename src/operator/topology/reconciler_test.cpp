#include "operator/topology/reconciler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/well_known.h"
#include "backends/framework/config.h"
#include "json/yaml/yaml.h"
#include "operator/tests/rig/world_testing.h"
#include "tests/crds/crds.h"

namespace coppice::operators {
namespace {

const api::Resource kHyperNodes{"topology.volcano.sh", "v1alpha1", "hypernodes", "HyperNode",
                                false};

std::string Node(const std::string& name, const std::string& rack) {
  return "{apiVersion: v1, kind: Node, metadata: {name: " + name +
         ", labels: {topology.kubernetes.io/rack: " + rack + "}}}";
}

TEST(TopologyDomains, FollowTheLabelsOfNodesAtOnce) {
  const std::vector<json::Value> crds = test_crds::Of("volcano");
  World::Options options;
  options.crds = crds;
  options.config.backends = backends::AllBackends();
  options.config.topology_aware_scheduling = true;
  World world(std::move(options));
  world.Create(
      "{apiVersion: grove.io/v1alpha1, kind: ClusterTopologyBinding, metadata: {name: dc1}, spec: "
      "{levels: [{domain: rack, key: topology.kubernetes.io/rack}]}}");
  world.Create(Node("a", "r1"));
  // Well below the minute after which bindings are polled anyway.
  world.RunFor(std::chrono::seconds(5));
  EXPECT_THAT(world.Names(kHyperNodes), testing::ElementsAre("dc1-rack-r1"));
  world.Create(Node("b", "r2"));
  world.RunFor(std::chrono::seconds(5));
  EXPECT_THAT(world.Names(kHyperNodes), testing::ElementsAre("dc1-rack-r1", "dc1-rack-r2"));
  const auto moved = world.client->Patch(
      api::kNodes, {"", "a"}, kube::PatchType::kMerge,
      *json::ParseYaml("{metadata: {labels: {topology.kubernetes.io/rack: r3}}}"));
  ASSERT_TRUE(moved.ok());
  world.RunFor(std::chrono::seconds(5));
  EXPECT_THAT(world.Names(kHyperNodes), testing::ElementsAre("dc1-rack-r2", "dc1-rack-r3"));
  ASSERT_TRUE(world.client->Delete(api::kNodes, {"", "b"}).ok());
  world.RunFor(std::chrono::seconds(5));
  EXPECT_THAT(world.Names(kHyperNodes), testing::ElementsAre("dc1-rack-r3"));
}

}  // namespace
}  // namespace coppice::operators
