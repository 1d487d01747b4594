#include "engine/compatibility.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/cluster_testing.h"
#include "engine/cycle_testing.h"
#include "engine/device_names.h"
#include "engine/engine.h"
#include "engine/fair_share.h"
#include "engine/gpu_bound.h"
#include "engine/job_order.h"
#include "engine/scenario.h"

// Every quirk in both forms, each on the smallest cluster that tells them apart. Those that concern
// files and writes are in services/scheduler.

namespace coppice::engine {
namespace {

using namespace testing;  // NOLINT: of this folder
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const base::Time kNow{std::chrono::hours(24 * 365 * 56)};

Configuration With(Quirk quirk, bool kept, std::vector<std::string> actions = {}) {
  Configuration configuration = Configuration::Defaults();
  configuration.compatibility.Set(quirk, kept);
  if (!actions.empty()) configuration.actions = std::move(actions);
  return configuration;
}

std::vector<std::string> Bound(const CycleResult& result) {
  std::vector<std::string> pods;
  for (const auto& bind : result.binds) pods.push_back(bind.pod.name);
  return pods;
}

int64_t Searches(const CycleResult& result, const std::string& action) {
  int64_t sum = 0;
  for (const auto& [name, count] : result.actions.at(action).search_results) sum += count;
  return sum;
}

TEST(CompatibilitySwitches, EachHasAName) {
  EXPECT_EQ(Quirks().size(), static_cast<size_t>(Quirk::kCount));
  const Compatibility defaults;
  for (const QuirkInfo& info : Quirks()) {
    EXPECT_EQ(FindQuirk(info.name), info.quirk) << info.name;
    EXPECT_EQ(defaults.Keeps(info.quirk), info.kept) << info.name;
    Compatibility other;
    other.Set(info.quirk, !info.kept);
    for (const QuirkInfo& each : Quirks()) {
      EXPECT_EQ(other.Keeps(each.quirk), each.kept != (each.quirk == info.quirk)) << each.name;
    }
  }
  EXPECT_EQ(FindQuirk("Q1"), std::nullopt);
}

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

TEST(CompatibilitySwitches, QueueDepthSlot) {
  const auto bound = [](bool kept) {
    Configuration configuration = With(Quirk::kQueueDepthSlot, kept, {"allocate"});
    configuration.queue_depth_per_action["allocate"] = 2;
    Engine engine(configuration);
    engine.PutQueue(TopQueue("team"));
    engine.PutNode(GpuNode("a", 8));
    PutGang(engine, "1", {.shape = GpuShape(1), .priority = 10});
    PutGang(engine, "2", {.shape = GpuShape(1), .priority = 20});
    PutGang(engine, "3", {.shape = GpuShape(1), .priority = 30});
    return Bound(engine.RunCycle(kNow));
  };
  EXPECT_THAT(bound(true), ElementsAre("3-0", "1-0"));
  EXPECT_THAT(bound(false), ElementsAre("3-0", "2-0"));
}

TEST(CompatibilitySwitches, MultiplierSpelling) {
  const auto multiplier = [](bool kept) {
    Configuration configuration = With(Quirk::kMultiplierSpelling, kept);
    configuration.plugins = {{"proportion", {{"reclaimerUtilizationMultiplier", "3"}}}};
    return ReadPlugins(configuration).saturation_multiplier;
  };
  EXPECT_EQ(multiplier(true), 1);
  EXPECT_EQ(multiplier(false), 3);
}

// 5, 4 and 3 GPUs fit nodes of 7 and 5, but not when the largest is put onto the largest first.
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

TEST(CompatibilitySwitches, GroupNames) {
  const auto bound = [](bool kept) {
    Engine engine(With(Quirk::kGroupNames, kept));
    engine.PutQueue(TopQueue("team"));
    engine.PutNode(GpuNode("a", 8));
    for (const char* ns : {"one", "two"}) {
      PutGang(engine, "g", {.pods = 0, .min = 2, .shape = GpuShape(1, ns)});
      PodSpec pod;
      pod.uid = pod.name = std::string("of-") + ns;
      pod.shape = GpuShape(1, ns);
      pod.pod_group = "g";
      engine.PutPod(pod);
    }
    return engine.RunCycle(kNow).binds.size();
  };
  EXPECT_EQ(bound(true), 2u) << "the two groups are one, and whole";
  EXPECT_EQ(bound(false), 0u);
}

// The pod is looked at before the one that refuses its company is there, and again after.
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

Configuration Disabling(bool kept, const std::string& plugin, const std::string& option) {
  Configuration configuration = With(Quirk::kDisabledHooks, kept);
  for (auto& each : configuration.plugins) {
    if (each.name == plugin) each.disabled.insert(option);
  }
  return configuration;
}

TEST(CompatibilitySwitches, DisabledHooks) {
  const auto first = [](bool kept) {
    Engine engine(Disabling(kept, "priority", "disableJobOrder"));
    engine.PutQueue(TopQueue("team"));
    engine.PutNode(GpuNode("a", 1));
    PutGang(engine, "a-low", {.shape = GpuShape(1), .priority = 10});
    PutGang(engine, "b-high", {.shape = GpuShape(1), .priority = 20});
    return Bound(engine.RunCycle(kNow));
  };
  EXPECT_THAT(first(true), ElementsAre("b-high-0"));
  EXPECT_THAT(first(false), ElementsAre("a-low-0"));
}

TEST(CompatibilitySwitches, EveryHookCanBeDisabled) {
  struct Case {
    const char* plugin;
    const char* option;
    bool Plugins::* on;
  };
  const Case cases[] = {{"predicates", "disablePredicate", &Plugins::predicates},
                        {"proportion", "disableQueueOrder", &Plugins::queue_order},
                        {"proportion", "disableReclaimable", &Plugins::reclaim_of_shares},
                        {"nodeavailability", "disableNodeOrder", &Plugins::nodeavailability},
                        {"gpusharingorder", "disableNodeOrder", &Plugins::gpusharingorder},
                        {"resourcetype", "disableNodeOrder", &Plugins::resourcetype},
                        {"nominatednode", "disableNodeOrder", &Plugins::nominatednode},
                        {"minruntime", "disableReclaimable", &Plugins::reclaim_minruntime},
                        {"minruntime", "disablePreemptable", &Plugins::preempt_minruntime},
                        {"topology", "disableNodeOrder", &Plugins::topology_scores}};
  for (const Case& each : cases) {
    EXPECT_TRUE(ReadPlugins(Disabling(true, each.plugin, each.option)).*each.on) << each.plugin;
    EXPECT_FALSE(ReadPlugins(Disabling(false, each.plugin, each.option)).*each.on) << each.plugin;
  }
  const Plugins placed = ReadPlugins(Disabling(false, "nodeplacement", "disableNodeOrder"));
  EXPECT_EQ(placed.gpu_placement, Placement::kNone);
}

TEST(CompatibilitySwitches, EqualQueueAges) {
  const auto bound = [](bool kept) {
    Engine engine(With(Quirk::kEqualQueueAges, kept));
    for (const char* queue : {"a", "b"}) engine.PutQueue(TopQueue(queue, 0));
    engine.PutNode(GpuNode("n", 2));
    PutGang(engine, "1", {.queue = "b", .shape = GpuShape(2)});
    PutGang(engine, "2", {.queue = "a", .shape = GpuShape(2)});
    return Bound(engine.RunCycle(kNow));
  };
  EXPECT_THAT(bound(true), ElementsAre("1-0")) << "the first that came";
  EXPECT_THAT(bound(false), ElementsAre("2-0")) << "the first by name";
}

// The fourth of four queues gets a better job while it is not at the top of the heap.
TEST(CompatibilitySwitches, LazyQueueOrder) {
  const auto bound = [](bool kept) {
    Engine engine(With(Quirk::kLazyQueueOrder, kept, {"allocate"}));
    engine.PutNode(GpuNode("n", 4));
    for (int i = 0; i < 4; ++i) {
      const std::string queue = "q" + std::to_string(i);
      engine.PutQueue(TopQueue(queue, 2));
      PutGang(engine, std::to_string(i), {.queue = queue, .shape = GpuShape(4)});
    }
    PutGang(engine, "small", {.queue = "q3", .shape = GpuShape(1), .priority = 60});
    return Bound(engine.RunCycle(kNow));
  };
  EXPECT_THAT(bound(true), ElementsAre("0-0"));
  EXPECT_THAT(bound(false), ElementsAre("small-0")) << "within its quota, unlike the others";
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
  const auto bound = [](bool kept, const char* second) {
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
    pod.gpu_groups = {"known"};
    engine.PutPod(pod);
    PutGang(engine, "second", {.shape = FractionShape(second)});
    return engine.RunCycle(kNow).binds.size();
  };
  EXPECT_EQ(bound(true, "0.5"), 0u) << "as if the GPU had to be reserved first";
  EXPECT_EQ(bound(false, "0.5"), 1u);
  EXPECT_EQ(bound(false, "0.6"), 0u) << "this one opens another";
}

// Of a job that gives up one of four pods, the other three are left.
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

// A job of which one pod is a victim already is met again, and its node looked at.
TEST(CompatibilitySwitches, VictimsNamedTwice) {
  const auto named = [](bool kept) {
    OpenedCycle cycle(With(Quirk::kVictimsNamedTwice, kept));
    Cluster& cluster = cycle.cluster;
    cluster.PutQueue(TopQueue("team"));
    cluster.PutNode(GpuNode("n", 2));
    PutGang(cluster, "elastic", {.pods = 2, .min = 0, .shape = GpuShape(1), .node = "n"});
    PutGang(cluster, "wants", {.shape = GpuShape(2), .priority = 80});
    ActionContext& context = cycle.Open();
    const JobId job = cluster.FindJob("ns", "wants");
    const std::vector<TaskId> pending = Gang(cluster, job).TasksToAllocate(false);
    const Probe probe{
        PartOf(cluster, job, pending), pending, {}, {{cluster.FindTask("elastic-1")}, {1}}};
    const GpuBound bound(cluster, pending, probe.recorded.tasks);
    auto order = std::make_unique<JobOrder>(context.session, JobOrder::Options{.victims = true});
    order->Push(Gang(cluster, cluster.FindJob("ns", "elastic")));
    auto generator = MakeNodeLocalGreedy(
        context.session, probe, bound,
        VictimAccumulator(context.session, context.predicates, probe, std::move(order)));
    std::optional<Scenario> scenario;
    size_t most = 0;
    while (generator->Next(scenario)) {
      if (scenario) most = std::max(most, scenario->Victims().size());
    }
    return most;
  };
  EXPECT_EQ(named(true), 3u);
  EXPECT_EQ(named(false), 2u);
}

// What is named twice seems to leave its queue with less than its share, so that looking node by
// node finds nothing; looking at several does.
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

// The topology has no opinion about a node outside the set that was chosen from.
TEST(CompatibilitySwitches, UnscoredNodes) {
  const auto score = [](bool kept) {
    OpenedCycle cycle(With(Quirk::kUnscoredNodes, kept));
    Cluster& cluster = cycle.cluster;
    cluster.PutQueue(TopQueue("team"));
    cluster.topologies["t"] = {"t", {{"zone", ""}, {"rack", ""}}};
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
    scorer.Prepare(tasks[0], cluster.node_order);
    EXPECT_TRUE(scorer.Score(tasks[0], cluster.FindNode("a")));
    return scorer.Score(tasks[0], cluster.FindNode("b")).has_value();
  };
  EXPECT_FALSE(score(true)) << "and it is left out";
  EXPECT_TRUE(score(false));
}

TEST(CompatibilitySwitches, ForeignGpuUnits) {
  const auto gpus = [](bool kept) {
    Engine engine(With(Quirk::kForeignGpuUnits, kept));
    NodeSpec node = GpuNode("a", 0);
    node.allocatable.erase("nvidia.com/gpu");
    node.allocatable["example.com/gpu"] = base::Quantity::FromUnits(2);
    engine.PutNode(node);
    return engine.FindNode("a")->idle_gpus;
  };
  EXPECT_EQ(gpus(true), 2000);
  EXPECT_EQ(gpus(false), 2);
}

// Nodes whose GPU memory is not known have 100 MiB each.
TEST(CompatibilitySwitches, MigMemoryUnits) {
  const auto planned = [](bool kept) {
    Engine engine(With(Quirk::kMigMemoryUnits, kept, {"consolidation"}));
    engine.PutQueue(TopQueue("team"));
    const auto mig = [](int instances) {
      auto shape = GpuShape(0);
      shape->containers[0].requests["nvidia.com/mig-1g.10gb"] =
          base::Quantity::FromUnits(instances);
      return shape;
    };
    for (const std::string name : {"a", "b"}) {
      NodeSpec node = GpuNode(name, 0);
      node.labels.clear();
      node.allocatable["nvidia.com/mig-1g.10gb"] = base::Quantity::FromUnits(2);
      engine.PutNode(node);
      PutGang(engine, "on-" + name, {.shape = mig(1), .node = name});
    }
    PutGang(engine, "wants", {.shape = mig(2)});
    return engine.RunCycle(kNow).pipelined.size();
  };
  EXPECT_EQ(planned(true), 2u);
  EXPECT_EQ(planned(false), 0u) << "20 GB are not there";
}

TEST(CompatibilitySwitches, ClaimedResources) {
  const auto bound = [](bool kept) {
    Engine engine(With(Quirk::kClaimedResources, kept));
    engine.PutQueue(TopQueue("team"));
    engine.PutNode(GpuNode("a", 1));
    DeviceClassSpec device_class;
    device_class.name = "nics";
    device_class.extended_resource_name = "example.com/nic";
    engine.PutDeviceClass(device_class);
    ResourceSliceSpec slice;
    slice.name = slice.pool = slice.node_name = "a";
    slice.driver = "nic.example.com";
    slice.devices = {{"nic0", {}, {}, {}}};
    engine.PutResourceSlice(slice);
    auto shape = GpuShape(1);
    shape->containers[0].requests["example.com/nic"] = base::Quantity::FromUnits(1);
    PutGang(engine, "g", {.shape = shape});
    return engine.RunCycle(kNow).binds.size();
  };
  EXPECT_EQ(bound(true), 0u);
  EXPECT_EQ(bound(false), 1u);
}

TEST(CompatibilitySwitches, ClaimedGpusPerNode) {
  const auto counted = [](bool kept) {
    OpenedCycle cycle(With(Quirk::kClaimedGpusPerNode, kept));
    Cluster& cluster = cycle.cluster;
    cluster.PutQueue(TopQueue("team"));
    cluster.PutNode(GpuNode("a", 0));
    ResourceClaimSpec claim;
    claim.namespace_name = "ns";
    claim.name = "c";
    claim.requests = {{"r", "gpu.example.com", DeviceAllocationMode::kExactCount, 2, {}, {}}};
    cluster.devices.claim_ids[{"ns", "c"}] = 0;
    cluster.devices.claims.push_back({claim, true, {}, {}});
    PutGang(cluster, "g", {.pods = 0, .min = 1, .shape = GpuShape(0)});
    PodSpec pod;
    pod.uid = pod.name = "p";
    pod.shape = GpuShape(0);
    pod.pod_group = "g";
    pod.claims = {{"device", "c", false}};
    cluster.PutPod(pod);
    ActionContext& context = cycle.Open();
    return context.session.shares.CapacityRequestOn(cluster.FindTask("p"),
                                                    cluster.FindNode("a"))[2] /
           kGpuUnit;
  };
  EXPECT_EQ(counted(true), 0);
  EXPECT_EQ(counted(false), 2);
}

TEST(CompatibilitySwitches, ShareUnits) {
  const auto shares = [](bool kept) {
    Engine engine(With(Quirk::kShareUnits, kept));
    NodeSpec node = GpuNode("n", 0);
    node.allocatable["cpu"] = base::Quantity::FromUnits(1);
    engine.PutNode(node);
    for (const std::string name : {"a", "b", "c"}) {
      QueueSpec queue = TopQueue(name, 0);
      queue.cpu = {0, -1, 1};
      engine.PutQueue(queue);
      PutGang(engine, "j" + name, {.queue = name, .shape = GpuShape(0)});
    }
    std::vector<double> cpu;
    for (const auto& queue : engine.RunCycle(kNow).queues) cpu.push_back(queue.fair_share[0]);
    return cpu;
  };
  EXPECT_THAT(shares(true), ElementsAre(334, 333, 333));
  EXPECT_THAT(shares(false), ::testing::Each(::testing::DoubleNear(1000.0 / 3, 1e-6)));

  const auto leftover = [](Leftover how) {
    std::vector<ShareRequest> queues(3);
    for (int i = 0; i < 3; ++i) {
      queues[i].weight = 1;
      queues[i].request = 3.4;
      queues[i].name_rank = i;
    }
    DivideFairShare(10, 0, 1, queues, how);
    return queues[0].fair_share;
  };
  EXPECT_EQ(leftover(Leftover::kWholeUnits), 4) << "more than it asks for";
  EXPECT_EQ(leftover(Leftover::kAsRequested), 3.4);
}

TEST(CompatibilitySwitches, GpuNames) {
  const auto gpus = [](bool kept, const std::string& driver) {
    Engine engine(With(Quirk::kGpuNames, kept));
    engine.PutNode(GpuNode("a", 0));
    ResourceSliceSpec slice;
    slice.name = slice.pool = slice.node_name = "a";
    slice.driver = driver;
    slice.devices = {{"d0", {}, {}, {}}};
    engine.PutResourceSlice(slice);
    engine.RunCycle(kNow);
    return engine.FindNode("a")->idle_gpus;
  };
  EXPECT_EQ(gpus(true, "nongpus.example.com"), 1);
  EXPECT_EQ(gpus(false, "nongpus.example.com"), 0);
  EXPECT_EQ(gpus(false, "GPU.example.com"), 1);
  EXPECT_EQ(gpus(false, "my-gpu"), 1);
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

// Two jobs, each of which takes longer than one may; the action has all the time.
CycleResult RunOutOfTime(const Configuration& given) {
  Configuration configuration = given;
  configuration.use_scheduling_signatures = false;
  configuration.budgets.max_action.clear();
  configuration.budgets.max_job = std::chrono::seconds(1);
  Engine engine(configuration);
  engine.PutQueue(TopQueue("team"));
  engine.PutNode(GpuNode("a", 1));
  PutGang(engine, "low", {.shape = GpuShape(1), .node = "a"});
  PutGang(engine, "first", {.shape = GpuShape(1), .priority = 75});
  PutGang(engine, "second", {.shape = GpuShape(1), .priority = 60});
  base::Time time = kNow;
  engine.SetStopwatch([&] { return time += std::chrono::seconds(10); });
  return engine.RunCycle(kNow);
}

TEST(CompatibilitySwitches, Deadlines) {
  const auto run = [](bool kept) {
    return Searches(RunOutOfTime(With(Quirk::kDeadlines, kept, {"preempt"})), "preempt");
  };
  EXPECT_EQ(run(true), 1);
  EXPECT_EQ(run(false), 2);
}

TEST(CompatibilitySwitches, SilentDeadlines) {
  const auto reasons = [](bool kept) {
    std::vector<std::string> out;
    const CycleResult result = RunOutOfTime(With(Quirk::kSilentDeadlines, kept, {"preempt"}));
    for (const auto& group : result.groups) {
      for (const auto& error : group.errors) out.push_back(error.reason);
    }
    return out;
  };
  EXPECT_THAT(reasons(true), IsEmpty());
  EXPECT_THAT(reasons(false), ElementsAre("ScenarioSearchUnresolved"));
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
