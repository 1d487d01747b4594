#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/engine.h"
#include "engine/tests/cluster_testing.h"
#include "engine/tests/compatibility_testing.h"
#include "engine/tests/cycle_testing.h"

// Quirks in the choice of nodes, in both forms.

namespace coppice::engine {
namespace {

using namespace testing;  // NOLINT: of this folder
using ::testing::IsEmpty;
using ::testing::SizeIs;

// The pod is checked before the pod with the anti-affinity exists, and again after.
TEST(CompatibilitySwitches, StickySkips) {
  const auto planned = [](bool kept) {
    Engine engine(With(Quirk::kStickySkips, kept, {"allocate", "preempt"}));
    engine.PutQueue(TopQueue("team"));
    engine.PutNode(GpuNode("a", 1, {{"host", "a"}}));
    PutGang(engine, "victim", {.shape = GpuShape(1), .node = "a"});
    auto plain = GpuShape(1);
    plain->labels["app"] = "x";
    PutGang(engine, "plain", {.shape = plain, .priority = 80});
    auto alone = GpuShape(0);
    alone->affinity.required_anti_pods.push_back(
        {LabelSelector{{{"app", "x"}}, {}}, {}, {}, "host"});
    PutGang(engine, "alone", {.shape = alone, .priority = 60});
    return engine.RunCycle(kNow).pipelined;
  };
  EXPECT_THAT(planned(true), SizeIs(1));
  EXPECT_THAT(planned(false), IsEmpty());
}

TEST(CompatibilitySwitches, SharingScore) {
  const auto node = [](bool kept) {
    Engine engine(With(Quirk::kSharingScore, kept));
    engine.PutQueue(TopQueue("team"));
    for (const char* name : {"a", "b"}) engine.PutNode(GpuNode(name, 2));
    PutGang(engine, "fuller", {.pods = 3, .shape = GpuShape(0), .node = "a"});
    PodSpec half;
    PutGang(engine, "half", {.pods = 0, .min = 1, .shape = FractionShape("0.5")});
    half.uid = half.name = "half-0";
    half.shape = FractionShape("0.5");
    half.pod_group = "half";
    half.status = TaskStatus::kRunning;
    half.node = "b";
    half.gpu_groups = {"g0"};
    engine.PutPod(half);
    PutGang(engine, "cpu", {.shape = GpuShape(0)});
    return engine.RunCycle(kNow).binds.at(0).node;
  };
  EXPECT_EQ(node(true), "b") << "where a GPU is shared";
  EXPECT_EQ(node(false), "a") << "where less is free";
}

TEST(CompatibilitySwitches, SharedGpuSlots) {
  const auto bound = [](bool kept, const char* second, const char* gpu = "known") {
    Engine engine(With(Quirk::kSharedGpuSlots, kept));
    engine.PutQueue(TopQueue("team"));
    NodeSpec node = GpuNode("a", 2);
    node.allocatable["pods"] = base::Quantity::FromUnits(2);
    engine.PutNode(node);
    PutGang(engine, "first", {.pods = 0, .min = 1, .shape = FractionShape("0.5")});
    PodSpec pod;
    pod.uid = pod.name = "first-0";
    pod.shape = FractionShape("0.5");
    pod.pod_group = "first";
    pod.status = TaskStatus::kRunning;
    pod.node = "a";
    pod.gpu_groups = {gpu};
    engine.PutPod(pod);
    PutGang(engine, "second", {.shape = FractionShape(second)});
    return engine.RunCycle(kNow).binds.size();
  };
  EXPECT_EQ(bound(true, "0.5"), 0u) << "as if the GPU had to be reserved first";
  EXPECT_EQ(bound(true, "0.5", "0"), 1u) << "unless the GPU's id is a number";
  EXPECT_EQ(bound(true, "0.6", "0"), 0u) << "and no other is needed";
  EXPECT_EQ(bound(false, "0.5"), 1u);
  EXPECT_EQ(bound(false, "0.6"), 0u) << "this one opens another";
}

// The topology does not score a node outside the chosen set.
TEST(CompatibilitySwitches, UnscoredNodes) {
  const auto score = [](bool kept) {
    OpenedCycle cycle(With(Quirk::kUnscoredNodes, kept));
    Cluster& cluster = cycle.cluster;
    cluster.PutQueue(TopQueue("team"));
    cluster.PutTopology({"t", {{"zone", ""}, {"rack", ""}}});
    cluster.PutNode(GpuNode("a", 2, {{"zone", "z1"}, {"rack", "r1"}}));
    cluster.PutNode(GpuNode("b", 2, {{"zone", "z2"}, {"rack", "r2"}}));
    PutGang(cluster, "g", {.shape = GpuShape(1), .topology = TopologyConstraint{"t", "", "rack"}});
    ActionContext& context = cycle.Open();
    const Gang gang(cluster, cluster.FindJob("ns", "g"));
    const std::vector<TaskId> tasks = gang.TasksToAllocate(true);
    const NodeSet only_a{cluster.FindNode("a")};
    context.session.topology->BeginJob();
    context.session.topology->Choose(gang, {true, 0}, tasks, only_a, nullptr);
    NodeScorer scorer(context.session);
    scorer.Prepare(tasks[0], cluster.node_order());
    EXPECT_TRUE(scorer.Score(tasks[0], cluster.FindNode("a")));
    return scorer.Score(tasks[0], cluster.FindNode("b")).has_value();
  };
  EXPECT_FALSE(score(true)) << "and it is left out";
  EXPECT_TRUE(score(false));
}

}  // namespace
}  // namespace coppice::engine
