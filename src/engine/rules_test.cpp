#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/cluster_testing.h"
#include "engine/engine.h"
#include "engine/scenario_filter.h"

// Single rules of the specification, each on the smallest cluster that shows it.

namespace coppice::engine {
namespace {

using namespace testing;  // NOLINT: of this folder
using ::testing::HasSubstr;

const base::Time kNow{std::chrono::hours(24 * 365 * 56)};

const GroupStatus& StatusOf(const CycleResult& result, const std::string& name) {
  for (const auto& group : result.groups) {
    if (group.group.name == name) return group;
  }
  static const GroupStatus kNoStatus;
  ADD_FAILURE() << "nothing is said about " << name;
  return kNoStatus;
}

TEST(UnknownSubGroup, IsReportedAndNeverScheduled) {
  Engine engine(Configuration::Defaults());
  engine.PutQueue(TopQueue("team"));
  engine.PutNode(GpuNode("a", 4));
  PutGang(engine, "g", {.shape = GpuShape(1)});
  PodSpec stray;
  stray.uid = stray.name = "stray";
  stray.shape = GpuShape(1);
  stray.pod_group = "g";
  stray.sub_group = "nowhere";
  engine.PutPod(stray);
  const CycleResult result = engine.RunCycle(kNow);
  ASSERT_EQ(result.binds.size(), 1u);
  EXPECT_EQ(result.binds[0].pod.name, "g-0");
  const GroupStatus& status = StatusOf(result, "g");
  ASSERT_EQ(status.pods.size(), 1u);
  EXPECT_TRUE(status.pods[0].unknown_sub_group);
  EXPECT_EQ(status.pods[0].message,
            "Pod references subgroup \"nowhere\", which does not exist in PodGroup ns/g");
}

// What the waiting pod of a gang "g" is told when `node` is all there is.
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

// A full cluster in which nothing that waits can get a place, and how often it was tried.
int64_t Searches(bool signatures, const std::vector<std::shared_ptr<PodShape>>& waiting) {
  Configuration configuration = Configuration::Defaults();
  configuration.actions = {"preempt"};
  configuration.use_scheduling_signatures = signatures;
  Engine engine(configuration);
  engine.PutQueue(TopQueue("team"));
  engine.PutNode(GpuNode("a", 2));
  PutGang(engine, "equal", {.shape = GpuShape(2), .node = "a"});
  for (size_t i = 0; i < waiting.size(); ++i) {
    PutGang(engine, "w" + std::to_string(i), {.shape = waiting[i]});
  }
  CycleResult result = engine.RunCycle(kNow);
  int64_t searches = 0;
  for (const auto& [name, count] : result.actions["preempt"].search_results) searches += count;
  return searches;
}

TEST(SchedulingSignatures, WhatIsNoEasierThanAFailureIsNotTried) {
  EXPECT_EQ(Searches(false, {GpuShape(2), GpuShape(2)}), 2);
  EXPECT_EQ(Searches(true, {GpuShape(2), GpuShape(2)}), 1);
  // Requests are no part of the signature, but fewer of them are easier.
  EXPECT_EQ(Searches(true, {GpuShape(2), GpuShape(1)}), 2);
  EXPECT_EQ(Searches(true, {GpuShape(1), GpuShape(2)}), 1);
  auto elsewhere = GpuShape(2);
  elsewhere->node_selector["disk"] = "fast";
  EXPECT_EQ(Searches(true, {GpuShape(2), elsewhere}), 2);
}

TEST(SearchBudget, AnActionThatRunsOutOfTimeStops) {
  Configuration configuration = Configuration::Defaults();
  configuration.actions = {"preempt"};
  configuration.use_scheduling_signatures = false;
  Engine engine(configuration);
  engine.PutQueue(TopQueue("team"));
  engine.PutNode(GpuNode("a", 1));
  PutGang(engine, "low", {.shape = GpuShape(1), .node = "a"});
  PutGang(engine, "first", {.shape = GpuShape(1), .priority = 75});
  PutGang(engine, "second", {.shape = GpuShape(1), .priority = 60});
  base::Time time = kNow;
  engine.SetStopwatch([&] { return time += std::chrono::minutes(10); });
  const CycleResult result = engine.RunCycle(kNow);
  EXPECT_TRUE(result.evictions.empty());
  int64_t searches = 0;
  for (const auto& [name, count] : result.actions.at("preempt").search_results) {
    EXPECT_TRUE(name == "deadline_exhausted" || name == "not_attempted") << name;
    searches += count;
  }
  EXPECT_EQ(searches, 1);
}

TEST(IdleGpuFilter, FillsTheLargestFirstAndSoRefusesWhatABetterPackingWouldHold) {
  EXPECT_TRUE(GreedyMatch({4, 4}, {8}));
  EXPECT_TRUE(GreedyMatch({0, 0}, {}));
  EXPECT_FALSE(GreedyMatch({9}, {8, 8}));
  EXPECT_FALSE(GreedyMatch({4, 4, 4}, {8, 3}));
  // 5 and 3 would fill the first, 4 the second.
  EXPECT_TRUE(GreedyMatch({5, 4, 3}, {8, 4}));
  // 4 and 3 would fill the first, 5 the second; but 5 goes first, to the largest.
  EXPECT_FALSE(GreedyMatch({5, 4, 3}, {7, 5}));
}

TEST(LastStart, IsSetWhenAGangFirstRunsAndNotBefore) {
  Engine engine(Configuration::Defaults());
  engine.PutQueue(TopQueue("team"));
  engine.PutNode(GpuNode("a", 2));
  PutGang(engine, "g", {.pods = 2, .min = 1, .shape = GpuShape(2)});
  EXPECT_FALSE(engine.LastStart("ns", "g"));
  engine.RunCycle(kNow);
  EXPECT_EQ(engine.LastStart("ns", "g"), kNow);
  engine.PutNode(GpuNode("b", 2));
  EXPECT_EQ(engine.RunCycle(kNow + std::chrono::seconds(5)).binds.size(), 1u);
  EXPECT_EQ(engine.LastStart("ns", "g"), kNow);
}

TEST(ResourceNames, EverythingThatEndsInGpuIsAGpuAndTheRestIsExact) {
  Engine engine(Configuration::Defaults());
  engine.PutQueue(TopQueue("team"));
  NodeSpec node = GpuNode("a", 0);
  node.allocatable.erase("nvidia.com/gpu");
  node.labels.erase("nvidia.com/gpu.count");
  node.allocatable["amd.com/gpu"] = base::Quantity::FromUnits(2);
  node.allocatable["example.com/nic"] = base::Quantity::FromUnits(1);
  engine.PutNode(node);
  auto shape = GpuShape(0);
  shape->containers[0].requests["amd.com/gpu"] = base::Quantity::FromUnits(2);
  shape->containers[0].requests["example.com/nic"] = base::Quantity::FromUnits(1);
  PutGang(engine, "g", {.shape = shape});
  EXPECT_EQ(engine.FindNode("a")->idle_gpus, 2);
  EXPECT_EQ(engine.RunCycle(kNow).binds.size(), 1u);
  EXPECT_EQ(engine.FindNode("a")->idle_gpus, 0);
  auto nic = GpuShape(0);
  nic->containers[0].requests["example.com/nic"] = base::Quantity::FromUnits(1);
  PutGang(engine, "second", {.shape = nic});
  const CycleResult result = engine.RunCycle(kNow);
  EXPECT_TRUE(result.binds.empty());
  EXPECT_THAT(StatusOf(result, "second").pods.at(0).message,
              HasSubstr("node(s) didn't have enough resources: example.com/nic"));
}

TEST(PodRequests, InitContainersPeakAndSidecarsStay) {
  // Sidecar 1 + app 2 run together; the init container wants 3 beside the sidecar before it.
  const auto fits = [](int cpus) {
    Engine engine(Configuration::Defaults());
    engine.PutQueue(TopQueue("team"));
    NodeSpec node = GpuNode("a", 1);
    node.allocatable["cpu"] = base::Quantity::FromUnits(cpus);
    engine.PutNode(node);
    auto shape = GpuShape(0);
    shape->containers[0].requests["cpu"] = base::Quantity::FromUnits(2);
    const auto add = [&](ContainerKind kind, int cpu) {
      ContainerSpec container;
      container.kind = kind;
      container.requests["cpu"] = base::Quantity::FromUnits(cpu);
      shape->containers.push_back(container);
    };
    add(ContainerKind::kSidecar, 1);
    add(ContainerKind::kInit, 3);
    shape->overhead["cpu"] = base::Quantity::FromUnits(1);
    PutGang(engine, "g", {.shape = shape});
    return engine.RunCycle(kNow).binds.size() == 1;
  };
  EXPECT_FALSE(fits(4));
  EXPECT_TRUE(fits(5));
}

}  // namespace
}  // namespace coppice::engine
