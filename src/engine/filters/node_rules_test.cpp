#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "engine/engine.h"
#include "engine/tests/cluster_testing.h"
#include "engine/tests/status_testing.h"

// What a node rejects, and the message.

namespace coppice::engine {
namespace {

using namespace testing;  // NOLINT: of this folder
using ::testing::HasSubstr;

// The message for the waiting pod of gang "g" if `node` is the only node.
std::string RefusalBy(const NodeSpec& node, std::shared_ptr<const PodShape> shape) {
  Engine engine(Configuration::Defaults());
  engine.PutQueue(TopQueue("team"));
  engine.PutNode(node);
  PutGang(engine, "g", {.shape = std::move(shape)});
  const CycleResult result = engine.RunCycle(kNow);
  EXPECT_TRUE(result.binds.empty());
  const auto& pods = StatusOf(result, "g").pods;
  return pods.empty() ? "" : pods[0].message;
}

TEST(NodeConditions, RefusePodsWithTheirName) {
  NodeSpec node = GpuNode("a", 4);
  node.unschedulable = true;
  EXPECT_THAT(RefusalBy(node, GpuShape(1)), HasSubstr("1 node is unschedulable"));
  node = GpuNode("a", 4);
  node.conditions = {{"Ready", "False"}};
  EXPECT_THAT(RefusalBy(node, GpuShape(1)), HasSubstr("1 node has NotReady condition"));
  node.conditions = {{"Ready", "True"}, {"MemoryPressure", "True"}};
  EXPECT_THAT(RefusalBy(node, GpuShape(1)), HasSubstr("1 node has MemoryPressure condition"));
}

TEST(NodeConditions, AreAllSaid) {
  NodeSpec node = GpuNode("a", 4);
  node.unschedulable = true;
  node.conditions = {{"Ready", "Unknown"}, {"DiskPressure", "True"}};
  EXPECT_THAT(RefusalBy(node, GpuShape(1)),
              HasSubstr("1 node has DiskPressure condition. \n1 node has NotReady condition. \n"
                        "1 node is unschedulable."));
}

// Kubernetes does not tell users which taints nodes have.
TEST(Taints, AreNotNamed) {
  NodeSpec node = GpuNode("a", 4);
  node.taints = {{"team", "other", "NoSchedule"}};
  EXPECT_THAT(RefusalBy(node, GpuShape(1)), HasSubstr("1 node(s) had untolerated taint(s)"));
}

TEST(HostPorts, AreHeldByContainersThatLast) {
  const auto both_fit = [](ContainerKind kind) {
    Engine engine(Configuration::Defaults());
    engine.PutQueue(TopQueue("team"));
    engine.PutNode(GpuNode("a", 4));
    auto shape = GpuShape(1);
    shape->containers.push_back({"port", kind, {}, {{"", "", 8080}}, {}});
    for (const char* name : {"g", "h"}) PutGang(engine, name, {.shape = shape});
    return engine.RunCycle(kNow).binds.size() == 2;
  };
  EXPECT_FALSE(both_fit(ContainerKind::kApp));
  EXPECT_FALSE(both_fit(ContainerKind::kSidecar));
  EXPECT_TRUE(both_fit(ContainerKind::kInit));
}

TEST(RestrictedNodes, TakeOnlyTheirKindOfPod) {
  const auto refusal = [](const std::string& worker, int gpus) {
    Configuration configuration = Configuration::Defaults();
    configuration.restrict_node_scheduling = true;
    Engine engine(configuration);
    engine.PutQueue(TopQueue("team"));
    engine.PutNode(GpuNode("a", 4, {{"node-role.kubernetes.io/" + worker, ""}}));
    PutGang(engine, "g", {.shape = GpuShape(gpus)});
    const CycleResult result = engine.RunCycle(kNow);
    return result.binds.empty() ? StatusOf(result, "g").pods.at(0).message : "";
  };
  EXPECT_EQ(refusal("gpu-worker", 1), "");
  EXPECT_EQ(refusal("cpu-worker", 0), "");
  EXPECT_THAT(refusal("cpu-worker", 1),
              HasSubstr("gpu task: <ns/g-0> can't run on non gpu nodes, node: <a>"));
  EXPECT_THAT(refusal("gpu-worker", 0),
              HasSubstr("cpu task: <ns/g-0> can't run on non cpu nodes, node: <a>"));
}

TEST(PodSlots, APodThatOpensASharedGpuNeedsTwo) {
  NodeSpec node = GpuNode("a", 4);
  node.allocatable["pods"] = base::Quantity::FromUnits(1);
  EXPECT_THAT(RefusalBy(node, FractionShape("0.5")), HasSubstr("1 node(s) pod number exceeded"));
  Engine engine(Configuration::Defaults());
  engine.PutQueue(TopQueue("team"));
  engine.PutNode(node);
  PutGang(engine, "whole", {.shape = GpuShape(1)});
  EXPECT_EQ(engine.RunCycle(kNow).binds.size(), 1u);
}

TEST(MigStrategy, CountsOnNodesWithMigAlone) {
  NodeSpec node = GpuNode("a", 4, {{"nvidia.com/mig.strategy", "mixed"}});
  Engine engine(Configuration::Defaults());
  engine.PutQueue(TopQueue("team"));
  engine.PutNode(node);
  PutGang(engine, "whole", {.shape = GpuShape(1)});
  PutGang(engine, "part", {.shape = FractionShape("0.5")});
  EXPECT_EQ(engine.RunCycle(kNow).binds.size(), 2u);
  node.allocatable["nvidia.com/mig-1g.10gb"] = base::Quantity::FromUnits(7);
  EXPECT_THAT(RefusalBy(node, GpuShape(1)),
              HasSubstr("non MIG jobs cant run on a node with MigStrategy='mixed'"));
  node.labels["nvidia.com/mig.strategy"] = "single";
  EXPECT_THAT(RefusalBy(node, FractionShape("0.5")),
              HasSubstr("only whole gpu jobs can run on a node with MigStrategy='single'"));
}

// Density is based on whole GPUs, and a node with only MIG has none.
TEST(MigPods, PreferNodesThatHaveWholeGpusToo) {
  Engine engine(Configuration::Defaults());
  engine.PutQueue(TopQueue("team"));
  for (const auto& [name, gpus] : std::map<std::string, int>{{"a", 0}, {"b", 2}}) {
    NodeSpec node = GpuNode(name, gpus);
    node.allocatable["nvidia.com/mig-1g.10gb"] = base::Quantity::FromUnits(7);
    engine.PutNode(node);
  }
  auto shape = GpuShape(0);
  shape->containers[0].requests["nvidia.com/mig-1g.10gb"] = base::Quantity::FromUnits(1);
  PutGang(engine, "g", {.shape = shape});
  const CycleResult result = engine.RunCycle(kNow);
  ASSERT_EQ(result.binds.size(), 1u);
  EXPECT_EQ(result.binds[0].node, "b");
}

TEST(LargestNode, SaysHowMuchThereIs) {
  NodeSpec node = GpuNode("a", 4);
  node.allocatable["example.com/nic"] = base::Quantity::FromUnits(1);
  node.allocatable["ephemeral-storage"] = base::Quantity::FromUnits(5'000'000'000);
  const auto refusal = [&](const std::string& resource, int64_t amount) {
    auto shape = GpuShape(1);
    shape->containers[0].requests[resource] = base::Quantity::FromUnits(amount);
    return RefusalBy(node, shape);
  };
  EXPECT_THAT(refusal("nvidia.com/gpu", 5), HasSubstr("Max GPU resources available in a single "
                                                      "node in the default node-pool is topped at "
                                                      "4"));
  EXPECT_THAT(refusal("ephemeral-storage", 6'000'000'000),
              HasSubstr("pods: 1, ephemeral-storage: 6 (GB). Max ephemeral-storage resources "
                        "available in a single node in the default node-pool is topped at 5 GB"));
  EXPECT_THAT(refusal("example.com/nic", 2),
              HasSubstr("No node in the default node-pool has example.com/nic resources"));
}

}  // namespace
}  // namespace coppice::engine
