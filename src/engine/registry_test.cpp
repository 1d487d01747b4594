#include "engine/registry.h"

#include <gtest/gtest.h>

#include "engine/engine.h"
#include "engine/placement/node_scorer.h"
#include "engine/placement/statement.h"
#include "engine/tests/cluster_testing.h"
#include "engine/tests/cycle_testing.h"

namespace coppice::engine {
namespace {

using namespace testing;  // NOLINT: of this folder

Configuration With(const std::string& plugin) {
  Configuration configuration = Configuration::Defaults();
  configuration.plugins.push_back({plugin, {}});
  return configuration;
}

std::string NodeOf(Engine& engine, const std::string& pod) {
  engine.OpenCycle(kNow);
  engine.RunAction("allocate");
  const std::string node = engine.FindPod(pod)->node;
  engine.CloseCycle();
  return node;
}

Engine ThreeHosts(Configuration configuration) {
  Engine engine(std::move(configuration));
  engine.PutQueue(TopQueue("team"));
  for (const char* name : {"a", "b", "c"}) engine.PutNode(GpuNode(name, 8, {{"host", name}}));
  return engine;
}

WeightedPodAffinityTerm Prefer(int weight, const std::string& app) {
  return {weight, {LabelSelector{{{"app", app}}, {}}, {}, {}, "host"}};
}

TEST(PodAffinity, PreferredCompanyOutweighsDensity) {
  auto server = GpuShape(1);
  server->labels["app"] = "server";
  auto client = GpuShape(1);
  client->affinity.preferred_pods.push_back(Prefer(10, "server"));
  const auto prepare = [&](Engine& engine) {
    PutGang(engine, "full", {.shape = GpuShape(4), .node = "a"});  // The densest.
    PutGang(engine, "server", {.shape = server, .node = "b"});
    PutGang(engine, "client", {.shape = client});
  };
  Engine with = ThreeHosts(With("podaffinity"));
  prepare(with);
  EXPECT_EQ(NodeOf(with, "client-0"), "b");
  Engine without = ThreeHosts(Configuration::Defaults());
  prepare(without);
  EXPECT_EQ(NodeOf(without, "client-0"), "a");
}

TEST(PodAffinity, PodsThatAreThereHaveTheirSayToo) {
  auto shy = GpuShape(4);
  shy->affinity.preferred_anti_pods.push_back(Prefer(5, "loud"));
  auto loud = GpuShape(1);
  loud->labels["app"] = "loud";
  Engine engine = ThreeHosts(With("podaffinity"));
  PutGang(engine, "shy", {.shape = shy, .node = "a"});
  PutGang(engine, "loud", {.shape = loud});
  EXPECT_EQ(NodeOf(engine, "loud-0"), "b");
}

TEST(PodAffinity, NamespacesAreSelectedByTheirLabels) {
  const auto node_of_client = [](const std::string& team) {
    Engine engine = ThreeHosts(Configuration::Defaults());
    engine.PutNamespace("shop", {{"team", "blue"}});
    auto server = GpuShape(1, "shop");
    server->labels["app"] = "server";
    auto client = GpuShape(1);
    client->affinity.required_pods = {
        {LabelSelector{{{"app", "server"}}, {}}, {}, LabelSelector{{{"team", team}}, {}}, "host"}};
    PutGang(engine, "server", {.shape = server, .node = "c"});
    PutGang(engine, "client", {.shape = client});
    return NodeOf(engine, "client-0");
  };
  EXPECT_EQ(node_of_client("blue"), "c");
  EXPECT_EQ(node_of_client("red"), "");
}

// As in upstream: for a pod that no preference concerned when it was first checked.
TEST(PodAffinity, APodThatIsOfNoConcernStaysSoForTheCycle) {
  const auto scored_again = [](Compatibility compatibility) {
    Configuration configuration = With("podaffinity");
    configuration.compatibility = compatibility;
    OpenedCycle cycle(configuration);
    cycle.cluster.PutQueue(TopQueue("team"));
    cycle.cluster.PutNode(GpuNode("a", 8, {{"host", "a"}}));
    auto pair = GpuShape(1);
    pair->labels["app"] = "pair";
    pair->affinity.preferred_pods.push_back(Prefer(1, "pair"));
    PutGang(cycle.cluster, "g", {.pods = 2, .shape = pair});
    cycle.Open();
    const TaskId first = cycle.cluster.FindTask("g-0");
    const NodeId node = cycle.cluster.FindNode("a");
    NodeScorer scorer(*cycle.session);
    scorer.Prepare(first, cycle.cluster.node_order());
    const double alone = *scorer.Score(first, node);
    Statement statement(*cycle.session);
    statement.Allocate(cycle.cluster.FindTask("g-1"), node, 0, {});
    scorer.Prepare(first, cycle.cluster.node_order());
    return *scorer.Score(first, node) > alone;
  };
  EXPECT_FALSE(scored_again({}));
  Compatibility fixed;
  fixed.Set(Quirk::kStickySkips, false);
  EXPECT_TRUE(scored_again(fixed));
}

TEST(MinRuntime, AYoungVictimIsLeftAlone) {
  const auto preempts = [](std::chrono::seconds age) {
    Engine engine(Configuration::Defaults());
    QueueSpec queue = TopQueue("team");
    queue.preempt_min_runtime = std::chrono::seconds(60);
    engine.PutQueue(queue);
    engine.PutNode(GpuNode("a", 1));
    PutGang(engine, "low", {.shape = GpuShape(1), .node = "a", .creation = kNow - age});
    PutGang(engine, "high", {.shape = GpuShape(1), .priority = 75});
    return !engine.RunCycle(kNow).evictions.empty();
  };
  EXPECT_FALSE(preempts(std::chrono::seconds(59)));
  EXPECT_TRUE(preempts(std::chrono::seconds(61)));
}

// Two departments; the victim's department has 100 s, its team 10 s, and it has run for 60 s.
size_t ReclaimedWith(const std::string& method, int pods, int min, int wanted) {
  Configuration configuration = Configuration::Defaults();
  for (auto& plugin : configuration.plugins) {
    if (plugin.name == "minruntime") plugin.arguments = {{"reclaimResolveMethod", method}};
  }
  Engine engine(configuration);
  engine.PutQueue(TopQueue("all"));
  QueueSpec theirs = ChildQueue("theirs", "all", 0);
  theirs.reclaim_min_runtime = std::chrono::seconds(100);
  engine.PutQueue(theirs);
  QueueSpec team = ChildQueue("team", "theirs", 0);
  team.reclaim_min_runtime = std::chrono::seconds(10);
  engine.PutQueue(team);
  engine.PutQueue(ChildQueue("ours", "all", 2));
  engine.PutNode(GpuNode("a", 2));
  PutGang(engine, "young",
          {.pods = pods,
           .min = min,
           .shape = GpuShape(1),
           .node = "a",
           .creation = kNow - std::chrono::seconds(60)});
  PutGang(engine, "wants", {.queue = "ours", .shape = GpuShape(wanted)});
  return engine.RunCycle(kNow).evictions.size();
}

TEST(MinRuntime, ReclaimAsksTheVictimsSideOfTheTreeOrItsQueue) {
  EXPECT_EQ(ReclaimedWith("lca", 2, 2, 1), 0u);
  EXPECT_EQ(ReclaimedWith("queue", 2, 2, 1), 2u);
}

TEST(MinRuntime, AYoungElasticVictimKeepsItsMinimum) {
  EXPECT_EQ(ReclaimedWith("lca", 2, 1, 1), 1u);
  EXPECT_EQ(ReclaimedWith("lca", 2, 1, 2), 0u);
  EXPECT_EQ(ReclaimedWith("queue", 2, 1, 2), 2u);
}

TEST(ProjectLevelFairness, DepartmentsVanish) {
  Configuration configuration = Configuration::Defaults();
  configuration.full_hierarchy_fairness = false;
  Engine engine(configuration);
  engine.PutQueue(TopQueue("small", 0, 1));  // Its limit no longer applies.
  engine.PutQueue(ChildQueue("team", "small"));
  engine.PutNode(GpuNode("a", 4));
  PutGang(engine, "wants", {.shape = GpuShape(4)});
  PutGang(engine, "at-the-top", {.queue = "small", .shape = GpuShape(0)});
  const CycleResult result = engine.RunCycle(kNow);
  ASSERT_EQ(result.binds.size(), 1u);
  EXPECT_EQ(result.binds[0].pod.name, "wants-0");
  // One queue represents all of them.
  ASSERT_EQ(result.queues.size(), 2u);
  EXPECT_EQ(result.queues[0].queue, "team");
  EXPECT_EQ(result.queues[1].queue, "default");
  EXPECT_EQ(result.queues[1].fair_share[2], 4);
  EXPECT_EQ(result.queues[1].allocated[2], 4);
}

// One slice of two, or of one, is present; the pod requests all devices.
size_t BoundWithAllOf(int64_t slices_in_pool) {
  Engine engine(Configuration::Defaults());
  engine.PutQueue(TopQueue("team"));
  engine.PutNode(GpuNode("a", 0));
  engine.PutDeviceClass({"nic", {}, ""});
  ResourceSliceSpec slice;
  slice.name = "s0";
  slice.driver = "nics.example.com";
  slice.pool = "a";
  slice.pool_slice_count = slices_in_pool;
  slice.node_name = "a";
  slice.devices = {{"nic0", {}, {}, {}}};
  engine.PutResourceSlice(slice);
  ResourceClaimSpec claim;
  claim.namespace_name = "ns";
  claim.name = "all";
  claim.requests = {{"r", "nic", DeviceAllocationMode::kAll, 0, {}, {}}};
  engine.PutResourceClaim(claim);
  PodGroupSpec group;
  group.name = "g";
  group.namespace_name = "ns";
  group.queue = "team";
  group.min_members = 1;
  engine.PutPodGroup(group);
  PodSpec pod;
  pod.uid = pod.name = "g-0";
  pod.shape = GpuShape(0);
  pod.pod_group = "g";
  pod.claims = {{"c", "all", false}};
  engine.PutPod(pod);
  return engine.RunCycle(kNow).binds.size();
}

TEST(DevicePools, AllDevicesOfAPoolAreKnownOnlyWithAllItsSlices) {
  EXPECT_EQ(BoundWithAllOf(1), 1u);
  EXPECT_EQ(BoundWithAllOf(2), 0u);
}

TEST(QueueDepth, OnlySoManyJobsOfAQueueAreLookedAt) {
  Configuration configuration = Configuration::Defaults();
  configuration.queue_depth_per_action["allocate"] = 2;
  Engine engine(configuration);
  engine.PutQueue(TopQueue("team"));
  engine.PutNode(GpuNode("a", 8));
  for (int i = 0; i < 5; ++i) {
    PutGang(engine, "g" + std::to_string(i),
            {.shape = GpuShape(1), .creation = base::Time(std::chrono::seconds(i))});
  }
  const CycleResult result = engine.RunCycle(kNow);
  ASSERT_EQ(result.binds.size(), 2u);
  EXPECT_EQ(result.binds[0].pod.name, "g0-0");
  EXPECT_EQ(result.binds[1].pod.name, "g1-0");
}

TEST(TaskStatus, FollowsFromThePod) {
  const auto status = [](PodPhase pod) { return DeriveStatus(pod); };
  EXPECT_EQ(status({.phase = "Running"}), TaskStatus::kRunning);
  EXPECT_EQ(status({.phase = "Running", .deletion = kNow}), TaskStatus::kReleasing);
  EXPECT_EQ(status({.phase = "Pending", .deletion = kNow}), TaskStatus::kReleasing);
  EXPECT_EQ(status({.phase = "Pending", .node = "n"}), TaskStatus::kBound);
  EXPECT_EQ(status({.phase = "Pending", .has_bind_request = true}), TaskStatus::kBinding);
  EXPECT_EQ(status({.phase = "Pending", .scheduling_gates = true}), TaskStatus::kGated);
  EXPECT_EQ(status({.phase = "Pending"}), TaskStatus::kPending);
  EXPECT_EQ(status({.phase = "Succeeded"}), TaskStatus::kSucceeded);
  EXPECT_EQ(status({.phase = "Failed"}), TaskStatus::kFailed);
  EXPECT_EQ(status({.phase = "Unknown"}), TaskStatus::kUnknown);
}

TEST(TaskStatus, APodThatDoesNotLeaveIsStuck) {
  Engine engine(Configuration::Defaults());
  engine.PutQueue(TopQueue("team"));
  engine.PutNode(GpuNode("a", 1));
  PutLeaving(engine, "leaving", "a");
  PutGang(engine, "next", {.shape = GpuShape(1)});
  // What a terminating pod will free is planned with, until it is overdue.
  EXPECT_EQ(engine.RunCycle(kNow + std::chrono::seconds(60)).pipelined.size(), 1u);
  EXPECT_EQ(engine.RunCycle(kNow + std::chrono::seconds(121)).pipelined.size(), 0u);
}

// A pod on a failed node never goes away; the rest of its gang must not wait for it.
TEST(TaskStatus, AGangThatHasItsMinimumOnlyWithAStuckPodIsStale) {
  Configuration configuration = Configuration::Defaults();
  configuration.default_staleness_grace = {};
  Engine engine(configuration);
  engine.PutQueue(TopQueue("team"));
  for (const char* node : {"a", "b"}) engine.PutNode(GpuNode(node, 1));
  PutLeaving(engine, "g", "a");
  PodSpec pod;
  pod.uid = pod.name = "g-1";
  pod.shape = GpuShape(1);
  pod.pod_group = "g";
  pod.node = "b";
  pod.status = TaskStatus::kRunning;
  engine.PutPod(pod);
  PodGroupSpec group;
  group.name = "g";
  group.namespace_name = pod.shape->namespace_name;
  group.queue = "team";
  group.min_members = 2;
  engine.PutPodGroup(group);
  EXPECT_EQ(engine.RunCycle(kNow + std::chrono::seconds(60)).evictions.size(), 0u);
  const CycleResult late = engine.RunCycle(kNow + std::chrono::seconds(121));
  ASSERT_EQ(late.evictions.size(), 1u);
  EXPECT_EQ(late.evictions[0].pod.name, "g-1");
}

TEST(ForeignPods, AreTakenFromTheClusterBeforeItIsDivided) {
  Engine engine(Configuration::Defaults());
  engine.PutQueue(TopQueue("team", 0));
  engine.PutNode(GpuNode("a", 8));
  auto shape = GpuShape(3, "kube-system");
  shape->scheduler_name = "default-scheduler";
  PodSpec pod;
  pod.uid = pod.name = "foreign";
  pod.shape = shape;
  pod.node = "a";
  pod.status = TaskStatus::kRunning;
  engine.PutPod(pod);
  PutGang(engine, "wants", {.shape = GpuShape(8)});
  const CycleResult result = engine.RunCycle(kNow);
  ASSERT_EQ(result.queues.size(), 1u);
  EXPECT_EQ(result.queues[0].fair_share[2], 5);
}

// Pods on nodes of other schedulers, or on nodes that are not ready, do not reduce what is divided.
TEST(ForeignPods, CountOnlyOnNodesThatAreDivided) {
  const auto share = [](const std::string& where) {
    Engine engine(Configuration::Defaults());
    engine.PutQueue(TopQueue("team", 0));
    engine.PutNode(GpuNode("a", 8));
    NodeSpec broken = GpuNode("broken", 8);
    broken.conditions = {{"Ready", "False"}};
    engine.PutNode(broken);
    PodSpec pod;
    pod.uid = pod.name = "foreign";
    auto shape = GpuShape(3, "kube-system");
    shape->scheduler_name = "default-scheduler";
    pod.shape = shape;
    pod.node = where;
    pod.status = TaskStatus::kRunning;
    engine.PutPod(pod);
    PutGang(engine, "wants", {.shape = GpuShape(8)});
    return engine.RunCycle(kNow).queues.at(0).fair_share[2];
  };
  EXPECT_EQ(share("a"), 5);
  EXPECT_EQ(share("broken"), 8);
  EXPECT_EQ(share("elsewhere"), 8);
}

// A node that leaves the cluster or moves to another scheduler does not break a gang while its pods
// run.
TEST(StrandedPods, AreStillOfTheirGang) {
  Engine engine(Configuration::Defaults());
  engine.PutQueue(TopQueue("team"));
  for (const char* name : {"a", "b"}) engine.PutNode(GpuNode(name, 1));
  PutGang(engine, "g", {.pods = 2, .shape = GpuShape(1), .node = "a"});
  PodSpec pod;
  pod.uid = pod.name = "g-1";
  pod.shape = GpuShape(1);
  pod.pod_group = "g";
  pod.node = "b";
  pod.status = TaskStatus::kRunning;
  engine.PutPod(pod);
  engine.RemoveNode("b");
  for (const int minutes : {0, 5}) {
    EXPECT_TRUE(engine.RunCycle(kNow + std::chrono::minutes(minutes)).evictions.empty());
  }
  engine.RemovePod("g-1");
  engine.RunCycle(kNow + std::chrono::minutes(6));
  EXPECT_EQ(engine.RunCycle(kNow + std::chrono::minutes(8)).evictions.size(), 1u);
}

TEST(NodePlacement, SpreadsOrPacks) {
  const auto node_for = [](const std::string& how) {
    Configuration configuration = Configuration::Defaults();
    for (auto& plugin : configuration.plugins) {
      if (plugin.name == "nodeplacement") plugin.arguments = {{"gpu", how}, {"cpu", how}};
    }
    Engine engine(configuration);
    engine.PutQueue(TopQueue("team"));
    engine.PutNode(GpuNode("a", 8));
    engine.PutNode(GpuNode("b", 8));
    PutGang(engine, "there", {.shape = GpuShape(4), .node = "b"});
    PutGang(engine, "new", {.shape = GpuShape(1)});
    return NodeOf(engine, "new-0");
  };
  EXPECT_EQ(node_for("binpack"), "b");
  EXPECT_EQ(node_for("spread"), "a");
}

}  // namespace
}  // namespace coppice::engine
