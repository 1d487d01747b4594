#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

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
  EXPECT_TRUE(result.actions.at("preempt").budget_exhausted);
}

// An elastic gang loses a pod to another queue, and preempts in its own in the same cycle: the pod
// that waits gets the place, not the one that has to go.
TEST(Evictions, AreForGood) {
  Engine engine(Configuration::Defaults());
  QueueSpec busy = TopQueue("busy", 1);
  busy.reclaim_min_runtime = std::chrono::hours(1);
  engine.PutQueue(busy);
  engine.PutQueue(TopQueue("other", 1));
  engine.PutNode(GpuNode("a", 2));
  engine.PutNode(GpuNode("b", 1));
  PutGang(engine, "elastic",
          {.queue = "busy",
           .pods = 2,
           .min = 1,
           .shape = GpuShape(1),
           .priority = 80,
           .node = "a",
           .creation = kNow});
  PodSpec third;
  third.uid = third.name = "elastic-2";
  third.shape = GpuShape(1);
  third.pod_group = "elastic";
  engine.PutPod(third);
  PutGang(engine, "low",
          {.queue = "busy", .shape = GpuShape(1), .priority = 10, .node = "b", .creation = kNow});
  PutGang(engine, "reclaims", {.queue = "other", .shape = GpuShape(1)});
  const CycleResult result = engine.RunCycle(kNow);
  std::set<std::string> evicted, planned;
  for (const auto& eviction : result.evictions) evicted.insert(eviction.pod.name);
  for (const auto& plan : result.pipelined) planned.insert(plan.pod.name);
  EXPECT_EQ(evicted, (std::set<std::string>{"elastic-1", "low-0"}));
  EXPECT_EQ(planned, (std::set<std::string>{"elastic-2", "reclaims-0"}));
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

// As upstream adds them: what is left of a GPU that is used to 0.8 is less than 0.2.
TEST(IdleGpuFilter, AddsPartsOfGpusInFloatingPoint) {
  EXPECT_TRUE(GreedyMatchOfParts({0.5, 0.5}, {1}));
  EXPECT_TRUE(GreedyMatchOfParts({0.2}, {1 - 0.75}));
  EXPECT_FALSE(GreedyMatchOfParts({0.2}, {1 - 0.8}));
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

// A pod of two GPUs that fits only where a pod of the other queue would have to move away.
size_t MovedForReclaim(bool allow_consolidating) {
  Configuration configuration = Configuration::Defaults();
  configuration.actions = {"reclaim"};
  configuration.allow_consolidating_reclaim = allow_consolidating;
  Engine engine(configuration);
  engine.PutQueue(TopQueue("all"));
  engine.PutQueue(ChildQueue("mine", "all", 2));
  engine.PutQueue(ChildQueue("theirs", "all", 1));  // Has just what it deserves.
  engine.PutNode(GpuNode("large", 2));
  engine.PutNode(GpuNode("small", 1));
  PutGang(engine, "moves", {.queue = "theirs", .shape = GpuShape(1), .node = "large"});
  PutGang(engine, "wants", {.queue = "mine", .shape = GpuShape(2)});
  const CycleResult result = engine.RunCycle(kNow);
  if (!result.evictions.empty()) {
    EXPECT_EQ(result.pipelined.size(), 2u);  // The victim too.
  }
  return result.evictions.size();
}

TEST(ConsolidatingReclaim, VictimsThatMoveAreNoneWhereThatIsAllowed) {
  EXPECT_EQ(MovedForReclaim(true), 1u);
  EXPECT_EQ(MovedForReclaim(false), 0u);
}

// Of two waiting jobs the one that is served first, under this order of plugins.
std::string FirstServed(const std::vector<std::string>& job_order) {
  Configuration configuration = Configuration::Defaults();
  std::erase_if(configuration.plugins, [](const auto& plugin) {
    return plugin.name == "priority" || plugin.name == "elastic";
  });
  for (const auto& name : job_order) configuration.plugins.push_back({name, {}});
  Engine engine(configuration);
  engine.PutQueue(TopQueue("team"));
  engine.PutNode(GpuNode("a", 2));
  // At its minimum, of higher priority, and younger; one more of its pods waits.
  PutGang(engine, "grows",
          {.pods = 1, .min = 1, .shape = GpuShape(1), .priority = 75, .node = "a"});
  PodSpec more;
  more.name = more.uid = "grows-1";
  more.shape = GpuShape(1);
  more.pod_group = "grows";
  engine.PutPod(more);
  PodGroupSpec grows;
  grows.name = "grows";
  grows.namespace_name = "ns";
  grows.queue = "team";
  grows.priority = 75;
  grows.min_members = 1;
  grows.creation = base::Time(std::chrono::hours(2));
  engine.PutPodGroup(grows);
  PutGang(engine, "starts", {.shape = GpuShape(1), .creation = base::Time(std::chrono::hours(1))});
  const CycleResult result = engine.RunCycle(kNow);
  return result.binds.at(0).pod.name;
}

TEST(PluginOrder, TheFirstThatTellsJobsApartDecides) {
  EXPECT_EQ(FirstServed({"priority", "elastic"}), "grows-1");
  EXPECT_EQ(FirstServed({"elastic", "priority"}), "starts-0");
  EXPECT_EQ(FirstServed({}), "starts-0");  // By age.
}

TEST(PluginOrder, WithoutAPluginItsQuestionHasADefaultAnswer) {
  const auto without = [](const std::string& prefix) {
    Configuration configuration = Configuration::Defaults();
    std::erase_if(configuration.plugins,
                  [&](const auto& plugin) { return plugin.name.starts_with(prefix); });
    return configuration;
  };
  // No proportion: there are no limits, and nobody may reclaim.
  Engine unlimited(without("proportion"));
  unlimited.PutQueue(TopQueue("team", 0, 1));
  unlimited.PutQueue(TopQueue("other", 4));
  unlimited.PutNode(GpuNode("a", 4));
  PutGang(unlimited, "large", {.shape = GpuShape(4)});
  EXPECT_EQ(unlimited.RunCycle(kNow).binds.size(), 1u);
  PutGang(unlimited, "mine", {.queue = "other", .shape = GpuShape(4)});
  EXPECT_TRUE(unlimited.RunCycle(kNow).evictions.empty());
  // No generator of scenarios: a search finds nothing.
  Engine victimless(without("sg-"));
  victimless.PutQueue(TopQueue("team"));
  victimless.PutNode(GpuNode("a", 1));
  PutGang(victimless, "low", {.shape = GpuShape(1), .node = "a"});
  PutGang(victimless, "high", {.shape = GpuShape(1), .priority = 75});
  const CycleResult result = victimless.RunCycle(kNow);
  EXPECT_TRUE(result.evictions.empty());
  EXPECT_EQ(result.actions.at("preempt").search_results.at("no_generator"), 1);
}

// A class of volumes of which node "a" can make 10 bytes and node "b" 100.
Engine CsiCluster() {
  Configuration configuration = Configuration::Defaults();
  configuration.schedule_csi_storage = true;
  Engine engine(configuration);
  engine.PutQueue(TopQueue("team"));
  engine.PutCsiDriver({"csi.example.com", true});
  engine.PutStorageClass({"local", "csi.example.com", true, {}});
  for (const auto& [name, bytes] : std::map<std::string, int64_t>{{"a", 10}, {"b", 100}}) {
    engine.PutNode(GpuNode(name, name == "a" ? 4 : 8, {{"host", name}}));
    engine.PutStorageCapacity(
        {"ns", name, "local", bytes, {}, LabelSelector{{{"host", name}}, {}}});
  }
  return engine;
}

void PutClaim(Engine& engine, const std::string& name, int64_t bytes, ClaimPhase phase,
              const std::string& owner) {
  PersistentVolumeClaimSpec claim;
  claim.namespace_name = "ns";
  claim.name = name;
  claim.storage_class = "local";
  claim.bytes = bytes;
  claim.phase = phase;
  claim.owner_pod_uid = owner;
  if (phase == ClaimPhase::kBound) {
    claim.volume_name = "pv-" + name;
    PersistentVolumeSpec volume;
    volume.name = claim.volume_name;
    volume.storage_class = "local";
    volume.claim_namespace = "ns";
    volume.claim_name = name;
    engine.PutVolume(volume);
  }
  engine.PutVolumeClaim(claim);
}

std::shared_ptr<PodShape> ShapeWithClaim(const std::string& claim) {
  auto shape = GpuShape(1);
  shape->volume_claims = {{claim, false}};
  return shape;
}

TEST(CsiStorage, VolumesGoWhereThereIsRoomForThem) {
  Engine engine = CsiCluster();
  PutClaim(engine, "small", 10, ClaimPhase::kPending, "");
  PutClaim(engine, "second", 1, ClaimPhase::kPending, "");
  PutClaim(engine, "huge", 101, ClaimPhase::kPending, "");
  // Node "a" is the denser one, and has room for one of the small volumes.
  PutGang(engine, "g0", {.shape = ShapeWithClaim("small"), .creation = base::Time{}});
  PutGang(engine, "g1",
          {.shape = ShapeWithClaim("second"), .creation = base::Time(std::chrono::seconds(1))});
  PutGang(engine, "g2", {.shape = ShapeWithClaim("huge")});
  const CycleResult result = engine.RunCycle(kNow);
  std::map<std::string, std::string> nodes;
  for (const auto& bind : result.binds) nodes[bind.pod.name] = bind.node;
  EXPECT_EQ(nodes, (std::map<std::string, std::string>{{"g0-0", "a"}, {"g1-0", "b"}}));
}

TEST(CsiStorage, WhatLeavesWithItsPodIsPlannedWith) {
  const auto run = [](bool owned) {
    Engine engine = CsiCluster();
    engine.RemoveNode("b");
    PutClaim(engine, "old", 8, ClaimPhase::kPending, owned ? "leaving-0" : "");
    PutClaim(engine, "new", 8, ClaimPhase::kPending, "");
    PutGang(engine, "leaving", {.shape = ShapeWithClaim("old"), .node = "a"});
    PodSpec pod;
    pod.name = pod.uid = "leaving-0";
    pod.shape = ShapeWithClaim("old");
    pod.pod_group = "leaving";
    pod.node = "a";
    pod.status = TaskStatus::kReleasing;
    engine.PutPod(pod);
    PutGang(engine, "next", {.shape = ShapeWithClaim("new")});
    const CycleResult result = engine.RunCycle(kNow);
    EXPECT_TRUE(result.binds.empty());
    return result.pipelined.size();
  };
  EXPECT_EQ(run(true), 1u);
  EXPECT_EQ(run(false), 0u);
}

TEST(CsiStorage, AClaimWhoseOwnerIsGoneIsOfNoUse) {
  const auto bound = [](const std::string& owner) {
    Engine engine = CsiCluster();
    PutClaim(engine, "c", 1, ClaimPhase::kPending, owner);
    PutGang(engine, "g", {.shape = ShapeWithClaim("c")});
    return engine.RunCycle(kNow).binds.size();
  };
  EXPECT_EQ(bound("g-0"), 1u);
  EXPECT_EQ(bound("gone"), 0u);
}

TEST(CsiStorage, TwoCapacitiesOfAClassOnANodeAreNone) {
  Engine engine = CsiCluster();
  engine.RemoveNode("b");
  engine.PutStorageCapacity({"ns", "again", "local", 50, {}, LabelSelector{}});
  PutClaim(engine, "c", 1, ClaimPhase::kPending, "");
  PutGang(engine, "g", {.shape = ShapeWithClaim("c")});
  EXPECT_TRUE(engine.RunCycle(kNow).binds.empty());
}

TEST(Victims, AreCounted) {
  // Four GPUs, one each for four jobs; a job of two pods takes as many as it needs.
  Engine engine(Configuration::Defaults());
  engine.PutQueue(TopQueue("team"));
  engine.PutNode(GpuNode("a", 4));
  for (int i = 0; i < 4; ++i) {
    PutGang(engine, "v" + std::to_string(i), {.shape = GpuShape(1), .node = "a"});
  }
  PutGang(engine, "wants", {.pods = 2, .shape = GpuShape(1), .priority = 75});
  const CycleResult result = engine.RunCycle(kNow);
  EXPECT_EQ(result.actions.at("preempt").victims, 2);
  EXPECT_EQ(result.actions.at("preempt").victims_beyond_need, 0);
}

// A job gives up its pods from the last one on until the node that is wanted is free.
TEST(Victims, ThoseThatCouldHaveStayedAreTold) {
  Configuration configuration = Configuration::Defaults();
  configuration.actions = {"preempt"};
  Engine engine(configuration);
  engine.PutQueue(TopQueue("team"));
  PutGang(engine, "v", {.pods = 4, .min = 1, .shape = GpuShape(1)});
  for (int i = 0; i < 4; ++i) {
    PodSpec pod;
    pod.name = pod.uid = "v-" + std::to_string(i);
    pod.pod_group = "v";
    pod.shape = GpuShape(1);
    pod.node = "n" + std::to_string(i);
    pod.status = TaskStatus::kRunning;
    engine.PutNode(GpuNode(pod.node, 1, {{"host", pod.node}}));
    engine.PutPod(pod);
  }
  auto shape = GpuShape(1);
  shape->node_selector["host"] = "n1";
  PutGang(engine, "wants", {.shape = shape, .priority = 75});
  const CycleResult result = engine.RunCycle(kNow);
  EXPECT_EQ(result.evictions.size(), 3u);
  // One of the three gets another place; of the others one could have stayed.
  EXPECT_EQ(result.actions.at("preempt").victims, 2);
  EXPECT_EQ(result.actions.at("preempt").victims_beyond_need, 1);
}

// A victim that makes room in its queue is needed, although its GPUs are not.
TEST(Victims, ThoseThatTheQueueHasNoRoomForAreNeeded) {
  Configuration configuration = Configuration::Defaults();
  configuration.actions = {"preempt"};
  Engine engine(configuration);
  engine.PutQueue(TopQueue("team", -1, 1));
  engine.PutNode(GpuNode("a", 1));
  engine.PutNode(GpuNode("b", 1));
  PutGang(engine, "low", {.shape = GpuShape(1), .node = "a"});
  PutGang(engine, "high", {.shape = GpuShape(1), .priority = 75});
  const CycleResult result = engine.RunCycle(kNow);
  EXPECT_EQ(result.actions.at("preempt").victims, 1);
  EXPECT_EQ(result.actions.at("preempt").victims_beyond_need, 0);
}

// A department that is above its share already, one that has twice its share, and one that waits
// for what it cannot use: the first takes a GPU of the second.
size_t ReclaimedUnder(const std::string& multiplier) {
  Configuration configuration = Configuration::Defaults();
  configuration.actions = {"reclaim"};
  for (auto& plugin : configuration.plugins) {
    if (plugin.name == "proportion") {
      plugin.arguments["relcaimerSaturationMultiplier"] = multiplier;
    }
  }
  Engine engine(configuration);
  for (const char* name : {"d0", "d1", "d2"}) engine.PutQueue(TopQueue(name, 0));
  engine.PutQueue(ChildQueue("wants", "d0", 0));
  engine.PutQueue(ChildQueue("has", "d0", 0));
  engine.PutQueue(ChildQueue("most", "d1", 0));
  engine.PutQueue(ChildQueue("stuck", "d2", 0));
  engine.PutNode(GpuNode("a", 12));
  PutGang(engine, "runs", {.queue = "has", .shape = GpuShape(4), .node = "a"});
  for (int i = 0; i < 8; ++i) {
    PutGang(engine, "v" + std::to_string(i), {.queue = "most", .shape = GpuShape(1), .node = "a"});
  }
  auto nowhere = GpuShape(4);
  nowhere->node_selector["disk"] = "none has it";
  PutGang(engine, "blocked", {.queue = "stuck", .shape = nowhere});
  PutGang(engine, "asks", {.queue = "wants", .shape = GpuShape(1)});
  return engine.RunCycle(kNow).evictions.size();
}

TEST(SaturationRule, TheReclaimerMustBeLessSaturatedEvenWithTheMultiplier) {
  // 5 of 4 against 7 of 4.
  EXPECT_EQ(ReclaimedUnder("1.0"), 1u);
  EXPECT_EQ(ReclaimedUnder("1.3"), 1u);
  EXPECT_EQ(ReclaimedUnder("1.5"), 0u);
  EXPECT_EQ(ReclaimedUnder("0.1"), 1u);  // Not below one.
}

// Gangs that want a rack, named by its label or by its alias.
TEST(TopologyAlias, StandsForTheLabel) {
  const auto nodes = [](const std::string& level) {
    Engine engine(Configuration::Defaults());
    engine.PutQueue(TopQueue("team"));
    engine.PutTopology({"t", {{"topo/rack", "rack"}}});
    engine.PutNode(GpuNode("a", 1, {{"topo/rack", "r0"}}));
    engine.PutNode(GpuNode("b", 1, {{"topo/rack", "r1"}}));
    engine.PutNode(GpuNode("c", 1, {{"topo/rack", "r1"}}));
    PutGang(engine, "g",
            {.pods = 2, .shape = GpuShape(1), .topology = TopologyConstraint{"t", level, ""}});
    std::set<std::string> used;
    for (const auto& bind : engine.RunCycle(kNow).binds) used.insert(bind.node);
    return used;
  };
  EXPECT_EQ(nodes("topo/rack"), (std::set<std::string>{"b", "c"}));
  EXPECT_EQ(nodes("rack"), (std::set<std::string>{"b", "c"}));
}

TEST(TopologyAlias, GivesTheSameSignature) {
  const auto searches = [](const std::string& first, const std::string& second) {
    Configuration configuration = Configuration::Defaults();
    configuration.actions = {"preempt"};
    Engine engine(configuration);
    engine.PutQueue(TopQueue("team"));
    engine.PutTopology({"t", {{"topo/block", "block"}, {"topo/rack", "rack"}}});
    engine.PutNode(GpuNode("a", 2, {{"topo/block", "b0"}, {"topo/rack", "r0"}}));
    PutGang(engine, "equal", {.shape = GpuShape(2), .node = "a"});
    PutGang(engine, "w0", {.shape = GpuShape(2), .topology = TopologyConstraint{"t", first, ""}});
    PutGang(engine, "w1", {.shape = GpuShape(2), .topology = TopologyConstraint{"t", second, ""}});
    int64_t count = 0;
    CycleResult result = engine.RunCycle(kNow);
    for (const auto& [name, times] : result.actions["preempt"].search_results) count += times;
    return count;
  };
  EXPECT_EQ(searches("topo/rack", "rack"), 1);
  EXPECT_EQ(searches("topo/rack", "block"), 2);
}

}  // namespace
}  // namespace coppice::engine
