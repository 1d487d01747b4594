#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/actions/search/gpu_bound.h"
#include "engine/actions/search/node_local_greedy.h"
#include "engine/actions/search/scenario.h"
#include "engine/engine.h"
#include "engine/order/job_order.h"
#include "engine/tests/cluster_testing.h"
#include "engine/tests/compatibility_testing.h"
#include "engine/tests/cycle_testing.h"

// Quirks in the choice of victims, in both forms.

namespace coppice::engine {
namespace {

using namespace testing;  // NOLINT: of this folder
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(CompatibilitySwitches, ConsolidationLimit) {
  const auto planned = [](bool kept) {
    Configuration configuration = With(Quirk::kConsolidationLimit, kept, {"consolidation"});
    configuration.max_consolidation_preemptees = 1;
    Engine engine(configuration);
    engine.PutQueue(TopQueue("team"));
    for (const char* node : {"a", "b"}) engine.PutNode(GpuNode(node, 4));
    PutGang(engine, "x", {.shape = GpuShape(1), .node = "a"});
    PutGang(engine, "y", {.shape = GpuShape(1), .node = "a"});
    PutGang(engine, "stays", {.shape = GpuShape(2), .preemptible = false, .node = "b"});
    PutGang(engine, "wants", {.shape = GpuShape(4)});
    return engine.RunCycle(kNow).pipelined.size();
  };
  EXPECT_EQ(planned(true), 3u) << "two jobs move, one more than the limit";
  EXPECT_EQ(planned(false), 0u);
}

// 5, 4 and 3 GPUs fit on nodes with 7 and 5, but not if the largest is placed on the largest first.
TEST(CompatibilitySwitches, GreedyFilters) {
  const auto planned = [](bool kept) {
    Engine engine(With(Quirk::kGreedyFilters, kept, {"preempt"}));
    engine.PutQueue(TopQueue("team"));
    engine.PutNode(GpuNode("a", 7));
    engine.PutNode(GpuNode("b", 5));
    PutGang(engine, "v7", {.shape = GpuShape(7), .node = "a"});
    PutGang(engine, "v5", {.shape = GpuShape(5), .node = "b"});
    PutGang(engine, "wants", {.pods = 1, .min = 3, .shape = GpuShape(5), .priority = 80});
    PodSpec pod;
    pod.pod_group = "wants";
    for (int gpus : {4, 3}) {
      pod.uid = pod.name = "wants-" + std::to_string(5 - gpus);
      pod.shape = GpuShape(gpus);
      engine.PutPod(pod);
    }
    return engine.RunCycle(kNow).pipelined;
  };
  EXPECT_THAT(planned(true), IsEmpty());
  EXPECT_THAT(planned(false), SizeIs(3));
  EXPECT_TRUE(CouldMatch({5, 4, 3}, {7, 5}));
  EXPECT_FALSE(CouldMatch({5, 4, 3}, {6, 5})) << "too little in all";
  EXPECT_FALSE(CouldMatch({5}, {4, 4})) << "too little for the largest";
}

TEST(CompatibilitySwitches, StaleEvictionTime) {
  const auto stamped = [](bool kept) {
    Configuration configuration = With(Quirk::kStaleEvictionTime, kept);
    configuration.default_staleness_grace = {};
    Engine engine(configuration);
    engine.PutQueue(TopQueue("team"));
    engine.PutNode(GpuNode("a", 2));
    PutGang(engine, "g", {.pods = 1, .min = 2, .shape = GpuShape(1), .node = "a"});
    const CycleResult result = engine.RunCycle(kNow);
    EXPECT_THAT(result.evictions, SizeIs(1));
    return result.groups.at(0).last_eviction;
  };
  EXPECT_EQ(stamped(true), std::nullopt);
  EXPECT_EQ(stamped(false), kNow);
}

// If a job loses one of four pods, the other three remain.
TEST(CompatibilitySwitches, PoppedVictims) {
  const auto second = [](bool kept) {
    OpenedCycle cycle(With(Quirk::kPoppedVictims, kept));
    Cluster& cluster = cycle.cluster;
    for (const char* queue : {"a", "b"}) cluster.PutQueue(TopQueue(queue, 0));
    cluster.PutNode(GpuNode("n", 16));
    PutGang(cluster, "elastic",
            {.queue = "a", .pods = 4, .min = 1, .shape = GpuShape(1), .priority = 10, .node = "n"});
    PutGang(cluster, "large", {.queue = "a", .shape = GpuShape(4), .node = "n"});
    PutGang(cluster, "three", {.queue = "b", .shape = GpuShape(3), .priority = 10, .node = "n"});
    PutGang(cluster, "two", {.queue = "b", .shape = GpuShape(2), .node = "n"});
    ActionContext& context = cycle.Open();
    JobOrder order(context.session, {.victims = true});
    order.AddAll();
    const Gang first = order.Pop();
    EXPECT_EQ(cluster.Text(first.job().name), "elastic");
    auto rest = std::make_shared<JobSlice>();
    const auto tasks = first.Tasks(0);
    rest->pod_sets.push_back({{tasks.begin(), tasks.end() - 1}, 1});
    rest->set_mins.emplace_back();
    order.Push(Gang(cluster, first.id(), rest));
    return std::string(cluster.Text(order.Pop().job().name));
  };
  EXPECT_EQ(second(true), "three");
  EXPECT_EQ(second(false), "elastic");
}

// A job whose pods are all victims except one is visited again, together with its node.
size_t MostVictims(bool kept, int pods) {
  OpenedCycle cycle(With(Quirk::kVictimsNamedTwice, kept));
  Cluster& cluster = cycle.cluster;
  cluster.PutQueue(TopQueue("team"));
  cluster.PutNode(GpuNode("n", pods));
  PutGang(cluster, "elastic", {.pods = pods, .min = 0, .shape = GpuShape(1), .node = "n"});
  PutGang(cluster, "wants", {.shape = GpuShape(pods), .priority = 80});
  ActionContext& context = cycle.Open();
  const JobId job = cluster.FindJob("ns", "wants");
  const std::vector<TaskId> pending = Gang(cluster, job).TasksToAllocate(false);
  VictimGroups recorded;
  for (int i = 1; i < pods; ++i) {
    const TaskId task = cluster.FindTask("elastic-" + std::to_string(i));
    recorded.Add({&task, 1});
  }
  const Probe probe{PartOf(cluster, job, pending), pending, {}, std::move(recorded)};
  const GpuBound bound(cluster, pending, probe.recorded.tasks);
  auto order = std::make_unique<JobOrder>(context.session, JobOrder::Options{.victims = true});
  order->Push(Gang(cluster, cluster.FindJob("ns", "elastic")));
  auto generator = kNodeLocalGreedy.make(
      context.session, probe, bound,
      VictimAccumulator(context.session, {context.session, probe}, probe, std::move(order)));
  std::optional<Scenario> scenario;
  size_t most = 0;
  while (generator->Next(scenario)) {
    if (scenario) most = std::max(most, scenario->Victims().size());
  }
  return most;
}

TEST(CompatibilitySwitches, VictimsNamedTwice) {
  EXPECT_EQ(MostVictims(true, 2), 3u);
  EXPECT_EQ(MostVictims(false, 2), 2u);
}

// Otherwise a search would list them four, eight, sixteen times.
TEST(NodeLocalGreedy, ThousandsOfVictimsAreNamedOnce) {
  EXPECT_EQ(MostVictims(true, 1000), 1999u);
  EXPECT_EQ(MostVictims(true, 1002), 1002u);
}

// Tasks that are listed twice seem to leave their queue with less than its share, so searching node
// by node finds nothing; searching several nodes does.
TEST(CompatibilitySwitches, VictimsNamedTwiceGiveBackTwice) {
  const auto rejected = [](bool kept) {
    Configuration configuration = With(Quirk::kVictimsNamedTwice, kept);
    configuration.actions = {"reclaim"};
    Engine engine(configuration);
    engine.PutQueue(TopQueue("a", 2));
    engine.PutQueue(TopQueue("b", 1));
    engine.PutNode(GpuNode("n", 3));
    PutGang(engine, "elastic",
            {.queue = "b", .pods = 3, .min = 1, .shape = GpuShape(1), .node = "n"});
    PutGang(engine, "wants", {.queue = "a", .pods = 2, .shape = GpuShape(1)});
    CycleResult result = engine.RunCycle(base::Time(std::chrono::hours(1)));
    EXPECT_EQ(result.evictions.size(), 2u);
    return result.actions["reclaim"].generators["NodeLocalGreedy"].rejected;
  };
  EXPECT_GT(rejected(true), 0);
  EXPECT_EQ(rejected(false), 0);
}

TEST(CompatibilitySwitches, SimulatedErrors) {
  const auto text = [](bool kept) {
    Engine engine(With(Quirk::kSimulatedErrors, kept, {"preempt"}));
    engine.PutQueue(TopQueue("team"));
    engine.PutNode(GpuNode("a", 1));
    PutGang(engine, "victim", {.shape = GpuShape(1), .node = "a"});
    PutGang(engine, "wants", {.shape = GpuShape(1), .priority = 80});
    EXPECT_THAT(engine.RunCycle(kNow).evictions, SizeIs(1));
    return engine.FitErrorText("ns", "victim");
  };
  EXPECT_NE(text(true), "");
  EXPECT_EQ(text(false), "");
}

TEST(CompatibilitySwitches, StuckPods) {
  const auto planned = [](bool kept) {
    Engine engine(With(Quirk::kStuckPods, kept));
    engine.PutQueue(TopQueue("team"));
    engine.PutNode(GpuNode("a", 1));
    PodSpec pod;
    pod.uid = pod.name = "leaving";
    pod.shape = GpuShape(1);
    pod.status = TaskStatus::kReleasing;
    pod.node = "a";
    pod.deletion = kNow - std::chrono::minutes(10);
    engine.PutPod(pod);
    PutGang(engine, "wants", {.shape = GpuShape(1)});
    return engine.RunCycle(kNow).pipelined.size();
  };
  EXPECT_EQ(planned(true), 0u);
  EXPECT_EQ(planned(false), 1u);
}

}  // namespace
}  // namespace coppice::engine
