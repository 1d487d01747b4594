#include "engine/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/tests/cluster_testing.h"

namespace coppice::engine {
namespace {

using namespace testing;  // NOLINT: of this folder
using ::testing::Contains;
using ::testing::Field;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Engine TwoNodes() {
  Engine engine(Configuration::Defaults());
  engine.PutNode(GpuNode("a", 8));
  engine.PutNode(GpuNode("b", 8));
  engine.PutQueue(TopQueue("top"));
  engine.PutQueue(ChildQueue("team", "top"));
  return engine;
}

TEST(Engine, PlacesAGangWhole) {
  Engine engine = TwoNodes();
  PutGang(engine, "train", {.pods = 2, .shape = GpuShape(8)});
  const CycleResult result = engine.RunCycle(kNow);
  ASSERT_THAT(result.binds, SizeIs(2));
  EXPECT_NE(result.binds[0].node, result.binds[1].node);
  EXPECT_EQ(result.binds[0].gpu_count, 8);
  EXPECT_EQ(engine.FindPod("train-0")->status, TaskStatus::kBinding);
  EXPECT_EQ(engine.FindNode("a")->idle_gpus, 0);
}

TEST(Engine, PlacesNothingOfAGangThatDoesNotFit) {
  Engine engine = TwoNodes();
  PutGang(engine, "train", {.pods = 3, .shape = GpuShape(8)});
  const CycleResult result = engine.RunCycle(kNow);
  EXPECT_THAT(result.binds, IsEmpty());
  EXPECT_EQ(engine.FindNode("a")->idle_gpus, 8);
  ASSERT_THAT(result.groups, SizeIs(1));
  EXPECT_EQ(
      result.groups[0].detail,
      "\nPodSchedulingErrors.\nResources were found for 2 pods while 3 are required for gang "
      "scheduling. Additional pods cannot be scheduled due to: no nodes with enough resources "
      "were found: 2 node(s) didn't have enough resources: GPUs..");
}

TEST(Engine, KeepsItsStateBetweenCycles) {
  Engine engine = TwoNodes();
  PutGang(engine, "one", {.shape = GpuShape(8)});
  EXPECT_THAT(engine.RunCycle(kNow).binds, SizeIs(1));
  EXPECT_THAT(engine.RunCycle(kNow).binds, IsEmpty());
  PutGang(engine, "two", {.shape = GpuShape(8)});
  const CycleResult second = engine.RunCycle(kNow);
  ASSERT_THAT(second.binds, SizeIs(1));
  EXPECT_EQ(second.binds[0].node, "b");
  engine.RemovePod("one-0");
  EXPECT_EQ(engine.FindNode("a")->idle_gpus, 8);
}

TEST(Engine, PipelinedPodsArePendingAgainAfterTheCycle) {
  Engine engine = TwoNodes();
  PutGang(engine, "old", {.pods = 2, .min = 2, .shape = GpuShape(8), .node = "a"});
  engine.RemovePod("old-1");
  PodSpec leaving;
  leaving.uid = leaving.name = "leaving";
  leaving.shape = GpuShape(8);
  leaving.status = TaskStatus::kReleasing;
  leaving.node = "b";
  engine.PutPod(leaving);
  PutGang(engine, "next", {.shape = GpuShape(8)});
  Configuration configuration = Configuration::Defaults();
  const CycleResult result = engine.RunCycle(kNow);
  ASSERT_THAT(result.pipelined, SizeIs(1));
  EXPECT_EQ(result.pipelined[0].node, "b");
  EXPECT_EQ(engine.FindPod("next-0")->status, TaskStatus::kPending);
  EXPECT_EQ(engine.FindNode("b")->releasing_gpus, 8);
}

// However often it was updated in the meantime.
TEST(Engine, APodThatTookLongToEndGivesAllOfItsRoomBack) {
  Engine engine = TwoNodes();
  PodSpec leaving;
  leaving.uid = leaving.name = "leaving";
  leaving.shape = GpuShape(8);
  leaving.status = TaskStatus::kReleasing;
  leaving.node = "a";
  leaving.deletion = kNow;
  for (int i = 0; i < 3; ++i) engine.PutPod(leaving);
  engine.RunCycle(kNow + std::chrono::minutes(3));
  EXPECT_EQ(engine.FindPod("leaving")->status, TaskStatus::kStuckInReleasing);
  EXPECT_EQ(engine.FindNode("a")->releasing_gpus, 0);
  engine.RemovePod("leaving");
  EXPECT_EQ(engine.FindNode("a")->idle_gpus, 8);
  PutGang(engine, "next", {.pods = 2, .shape = GpuShape(8)});
  EXPECT_THAT(engine.RunCycle(kNow + std::chrono::minutes(4)).binds, SizeIs(2));
}

TEST(Engine, SharesOneGpu) {
  Engine engine = TwoNodes();
  PutGang(engine, "small", {.pods = 2, .min = 1, .shape = FractionShape("0.5")});
  const CycleResult result = engine.RunCycle(kNow);
  ASSERT_THAT(result.binds, SizeIs(2));
  EXPECT_EQ(result.binds[0].received, ReceivedType::kFraction);
  EXPECT_EQ(result.binds[0].gpu_groups, result.binds[1].gpu_groups);
  EXPECT_EQ(engine.FindNode(result.binds[0].node)->idle_gpus, 7);
}

TEST(Engine, PreemptsWithinAQueueByPriority) {
  Engine engine = TwoNodes();
  PutGang(engine, "low-a", {.shape = GpuShape(8), .priority = 50, .node = "a"});
  PutGang(engine, "low-b", {.shape = GpuShape(8), .priority = 60, .node = "b"});
  PutGang(engine, "high", {.shape = GpuShape(8), .priority = 90});
  const CycleResult result = engine.RunCycle(kNow);
  ASSERT_THAT(result.evictions, SizeIs(1));
  EXPECT_EQ(result.evictions[0].pod.name, "low-a-0");
  EXPECT_EQ(result.evictions[0].message,
            "Pod ns/low-a-0 was preempted by higher priority workload ns/high");
  EXPECT_EQ(engine.FindPod("low-a-0")->status, TaskStatus::kReleasing);
}

TEST(Engine, SameInputSameDecisions) {
  const auto decide = [] {
    Engine engine = TwoNodes();
    for (int i = 0; i < 20; ++i) {
      PutGang(engine, "g" + std::to_string(i), {.shape = FractionShape("0.3")});
    }
    std::string all;
    for (const auto& bind : engine.RunCycle(kNow).binds) {
      all += bind.pod.name + bind.node + bind.gpu_groups[0] + ";";
    }
    return all;
  };
  EXPECT_EQ(decide(), decide());
}

TEST(Engine, AnswersWhatIfWithoutATrace) {
  Engine engine = TwoNodes();
  PodGroupSpec group;
  group.name = "asked";
  group.namespace_name = "ns";
  group.queue = "team";
  group.min_members = 2;
  std::vector<PodSpec> pods(2);
  for (int i = 0; i < 2; ++i) {
    pods[i].uid = pods[i].name = "asked-" + std::to_string(i);
    pods[i].shape = GpuShape(8);
  }
  PodGroupSpec larger = group;
  std::vector<PodSpec> three = pods;
  three.push_back(three[0]);
  three.back().uid = "asked-2";
  larger.min_members = 3;
  // Each question is independent: the first does not use up what the next is about.
  EXPECT_EQ(engine.WouldAllocate({{group, pods}, {group, pods}, {larger, three}}, kNow),
            (std::vector<bool>{true, true, false}));
  PutGang(engine, "taken", {.shape = GpuShape(1)});
  engine.RunCycle(kNow);
  EXPECT_EQ(engine.WouldAllocate({{group, pods}}, kNow), std::vector<bool>{false});
  EXPECT_FALSE(engine.FindPod("asked-0"));
  EXPECT_EQ(engine.FindNode("b")->idle_gpus, 8);
}

// ---- Bad input: reported, and the rest is scheduled ----------------------------------------

TEST(EngineBadInput, QueueCyclesAndMissingParents) {
  Engine engine = TwoNodes();
  engine.PutQueue(ChildQueue("x", "y"));
  engine.PutQueue(ChildQueue("y", "x"));
  engine.PutQueue(ChildQueue("orphan", "nobody"));
  PutGang(engine, "lost", {.queue = "x", .shape = GpuShape(1)});
  PutGang(engine, "fine", {.shape = GpuShape(1)});
  const CycleResult result = engine.RunCycle(kNow);
  ASSERT_THAT(result.binds, SizeIs(1));
  EXPECT_EQ(result.binds[0].pod.name, "fine-0");
  EXPECT_GE(result.problems.size(), 3u);
}

// A chain of queues, and a cycle of the same length: walking up from each queue would take minutes.
TEST(EngineBadInput, LongChainsOfQueues) {
  Engine engine = TwoNodes();
  constexpr int kQueues = 20'000;
  for (int i = 0; i < kQueues; ++i) {
    engine.PutQueue(ChildQueue("c" + std::to_string(i), "c" + std::to_string((i + 1) % kQueues)));
  }
  PutGang(engine, "fine", {.shape = GpuShape(1)});
  const CycleResult result = engine.RunCycle(kNow);
  EXPECT_THAT(result.binds, SizeIs(1));
  EXPECT_EQ(result.problems.size(), static_cast<size_t>(kQueues));
}

TEST(EngineBadInput, SubGroupsWithoutANameAndDeepOnes) {
  Engine engine = TwoNodes();
  PodGroupSpec nameless;
  nameless.name = "nameless";
  nameless.namespace_name = "ns";
  nameless.queue = "team";
  nameless.sub_groups = {{"", "", 1, {}, {}}, {"a", "", 1, {}, {}}};
  engine.PutPodGroup(nameless);
  PodGroupSpec deep = nameless;
  deep.name = "deep";
  deep.sub_groups = {{"s0", "", {}, 1, {}}};
  for (int i = 1; i < 50'000; ++i) {
    deep.sub_groups.push_back({"s" + std::to_string(i), "s" + std::to_string(i - 1), {}, 1, {}});
  }
  engine.PutPodGroup(deep);
  for (const char* group : {"nameless", "deep"}) {
    PodSpec pod;
    pod.uid = pod.name = group;
    pod.shape = GpuShape(1);
    pod.pod_group = group;
    engine.PutPod(pod);
  }
  PutGang(engine, "fine", {.shape = GpuShape(1)});
  const CycleResult result = engine.RunCycle(kNow);
  EXPECT_THAT(result.binds, Contains(Field(&BindDecision::pod, Field(&PodKey::name, "fine-0"))));
  EXPECT_EQ(result.problems.size(), 2u);
}

TEST(EngineBadInput, SubGroupCyclesUnknownTopologyAndMissingNodes) {
  Engine engine = TwoNodes();
  PodGroupSpec group;
  group.name = "loop";
  group.namespace_name = "ns";
  group.queue = "team";
  group.sub_groups = {{"p", "q", 1, {}, {}}, {"q", "p", 1, {}, {}}};
  engine.PutPodGroup(group);
  PutGang(engine, "nowhere",
          {.shape = GpuShape(1), .topology = TopologyConstraint{"missing", "rack", ""}});
  engine.PutTopology({"racks", {{"rack", ""}, {"host", ""}}});
  PutGang(engine, "row",
          {.shape = GpuShape(1), .topology = TopologyConstraint{"racks", "row", ""}});
  PutGang(engine, "wide",
          {.shape = GpuShape(1), .topology = TopologyConstraint{"racks", "host", "rack"}});
  PutGang(engine, "ghost", {.shape = GpuShape(1), .node = "unknown-node"});
  PutGang(engine, "fine", {.shape = GpuShape(1)});
  const CycleResult result = engine.RunCycle(kNow);
  ASSERT_THAT(result.binds, SizeIs(1));
  EXPECT_EQ(engine.FitErrorText("ns", "row"),
            "\nPodSchedulingErrors.\ntopology racks has no level row.");
  EXPECT_EQ(engine.FitErrorText("ns", "wide"),
            "\nPodSchedulingErrors.\nthe preferred level rack of topology racks is above the "
            "required one.");
  EXPECT_EQ(engine.FitErrorText("ns", "nowhere"),
            "\nPodSchedulingErrors.\nRequested topology missing does not exist.");
}

TEST(EngineBadInput, AbsurdQuantitiesAndOvercommittedNodes) {
  Engine engine = TwoNodes();
  NodeSpec odd = GpuNode("odd", 1);
  odd.allocatable["memory"] = base::Quantity::FromUnits(-5);
  engine.PutNode(odd);
  PutGang(engine, "crowd", {.pods = 5, .shape = GpuShape(8), .node = "odd"});
  auto huge = GpuShape(0);
  huge->containers[0].requests["nvidia.com/gpu"] =
      base::Quantity::FromUnits(std::numeric_limits<int64_t>::max());
  PutGang(engine, "huge", {.shape = huge});
  PutGang(engine, "fine", {.shape = GpuShape(1)});
  EXPECT_THAT(engine.RunCycle(kNow).binds, SizeIs(1));
}

std::vector<std::string> Complaints(const CycleResult& result) {
  std::vector<std::string> all;
  for (const auto& problem : result.problems) all.push_back(problem.kind + " " + problem.name);
  return all;
}

TEST(EngineBadInput, IsReportedAgainstTheObjectUntilItIsMended) {
  Engine engine = TwoNodes();
  NodeSpec odd = GpuNode("odd", 1);
  odd.allocatable["memory"] = base::Quantity::FromUnits(-5);
  engine.PutNode(odd);
  engine.PutNode(GpuNode("crowded", 1));
  PutGang(engine, "crowd", {.pods = 2, .shape = GpuShape(1), .node = "crowded"});
  PutGang(engine, "ghost", {.shape = GpuShape(1), .node = "unknown-node"});
  auto less = GpuShape(1);
  less->containers[0].requests["cpu"] = base::Quantity::FromUnits(-1);
  PutGang(engine, "less", {.shape = less});
  PodGroupSpec never;
  never.name = "never";
  never.namespace_name = "ns";
  never.queue = "team";
  never.min_members = -7;
  engine.PutPodGroup(never);
  engine.PutQueue(TopQueue("debt", -5));
  engine.PutQueue(ChildQueue("orphan", "nobody"));
  const std::vector<std::string> expected = {"PodGroup never", "Queue debt",     "Queue orphan",
                                             "Node crowded",   "Pod ns/ghost-0", "Pod ns/less-0"};
  for (int cycle = 0; cycle < 3; ++cycle) {
    const CycleResult result = engine.RunCycle(kNow);
    std::vector<std::string> all = Complaints(result);
    EXPECT_EQ(all.front(), "Node odd");
    all.erase(all.begin());
    EXPECT_EQ(all, expected) << "in every cycle, once";
    EXPECT_EQ(result.binds.size(), cycle == 0 ? 1u : 0u) << "the rest is scheduled";
  }
  engine.PutNode(GpuNode("odd", 1));
  engine.RemovePod("crowd-1");
  engine.PutNode(GpuNode("unknown-node", 4));
  engine.RemovePod("less-0");
  engine.RemovePodGroup("ns", "never");
  engine.PutQueue(TopQueue("debt", 5));
  engine.PutQueue(TopQueue("nobody"));
  EXPECT_TRUE(engine.RunCycle(kNow).problems.empty());
}

// A running pod counts for its gang wherever it runs, and for its queue once its node is known.
TEST(EngineBadInput, ANodeMayComeAfterItsPods) {
  Engine engine = TwoNodes();
  PutGang(engine, "early", {.pods = 1, .min = 2, .shape = GpuShape(1), .node = "late"});
  EXPECT_EQ(engine.RunCycle(kNow).queues.at(0).allocated[2], 0);
  PodSpec second;
  second.uid = second.name = "second";
  second.shape = GpuShape(1);
  second.pod_group = "early";
  engine.PutPod(second);
  EXPECT_THAT(engine.RunCycle(kNow).binds, SizeIs(1));
  engine.PutNode(GpuNode("late", 4));
  EXPECT_EQ(engine.RunCycle(kNow).queues.at(0).allocated[2], 2);
}

TEST(EngineBadInput, ObjectsMayArriveInAnyOrderAndTwice) {
  Engine engine(Configuration::Defaults());
  PutGang(engine, "early", {.shape = GpuShape(4), .node = "a"});
  PutGang(engine, "early", {.shape = GpuShape(4), .node = "a"});
  engine.PutQueue(ChildQueue("team", "top"));
  engine.PutQueue(TopQueue("top"));
  engine.PutNode(GpuNode("a", 8));
  engine.PutNode(GpuNode("a", 8));
  EXPECT_EQ(engine.FindNode("a")->idle_gpus, 4);
  PutGang(engine, "late", {.shape = GpuShape(4)});
  EXPECT_THAT(engine.RunCycle(kNow).binds, SizeIs(1));
  EXPECT_EQ(engine.FindNode("a")->idle_gpus, 0);
}

}  // namespace
}  // namespace coppice::engine
