#include "engine/filters/numa_planner.h"

#include <gtest/gtest.h>

#include "engine/engine.h"
#include "engine/tests/cluster_testing.h"

namespace coppice::engine {
namespace {

using namespace testing;  // NOLINT: of this folder

using Zone = std::map<std::string, int64_t>;
constexpr int64_t kGiB = int64_t{1} << 30;

// All zones are free.
NodeSpec NumaNode(const std::string& name, NumaPolicy policy, const std::vector<Zone>& zones,
                  NumaScope scope = NumaScope::kContainer) {
  NodeSpec node = GpuNode(name, 8);
  node.allocatable["example.com/nic"] = base::Quantity::FromUnits(8);
  node.numa.emplace(NumaTopology{policy, scope, {}});
  for (const Zone& zone : zones) {
    node.numa->zones.push_back({"node-" + std::to_string(node.numa->zones.size()), zone, zone});
  }
  return node;
}

Engine NumaCluster(const std::vector<NodeSpec>& nodes, const std::string& ignored = "") {
  Configuration configuration = Configuration::Defaults();
  configuration.plugins.push_back({"numa", {{"ignoreList", ignored}}});
  Engine engine(configuration);
  engine.PutQueue(TopQueue("team"));
  for (const NodeSpec& node : nodes) engine.PutNode(node);
  return engine;
}

std::shared_ptr<PodShape> Asking(const std::map<std::string, int64_t>& amounts,
                                 QosClass qos = QosClass::kGuaranteed) {
  auto shape = GpuShape(0);
  shape->qos = qos;
  for (const auto& [name, amount] : amounts) {
    shape->containers[0].requests[name] = base::Quantity::FromUnits(amount);
  }
  return shape;
}

// "NODE ZONE:AMOUNT …" of the resource, or "" if the pod was not placed.
std::string Place(Engine& engine, const std::shared_ptr<PodShape>& shape,
                  const std::string& resource) {
  PutGang(engine, "g", {.shape = shape});
  const CycleResult result = engine.RunCycle(kNow);
  if (result.binds.empty()) return "";
  std::string text = result.binds[0].node;
  if (!result.binds[0].extras) return text;
  for (const auto& zone : result.binds[0].extras->numa_zones) {
    const auto amount = zone.amount.find(resource);
    if (amount == zone.amount.end()) continue;
    text += " " + zone.zone + ":" + std::to_string(amount->second.Value());
  }
  return text;
}

TEST(Numa, DevicesAndHugePagesCountInTheUnitsOfTheirZones) {
  NodeSpec node =
      NumaNode("a", NumaPolicy::kSingleNode,
               {{{"example.com/nic", 1}}, {{"example.com/nic", 2}, {"hugepages-2Mi", 4 << 20}}});
  node.allocatable["hugepages-2Mi"] = base::Quantity::FromUnits(4 << 20);
  Engine engine = NumaCluster({node});
  EXPECT_EQ(Place(engine, Asking({{"example.com/nic", 2}, {"hugepages-2Mi", 4 << 20}}),
                  "example.com/nic"),
            "a node-1:2");
  Engine again = NumaCluster({node});
  EXPECT_EQ(Place(again, Asking({{"example.com/nic", 3}}), "example.com/nic"), "");
}

TEST(Numa, BestEffortDrawsFirstFromTheZoneThatCoversMost) {
  Engine engine = NumaCluster(
      {NumaNode("a", NumaPolicy::kBestEffort, {{{"nvidia.com/gpu", 2}}, {{"nvidia.com/gpu", 4}}})});
  EXPECT_EQ(Place(engine, Asking({{"nvidia.com/gpu", 5}}), "nvidia.com/gpu"),
            "a node-0:1 node-1:4");
}

// Amounts are compared without units: a little memory outweighs many devices.
TEST(Numa, BestEffortAddsUpAmountsOfDifferentResources) {
  Engine engine = NumaCluster({NumaNode("a", NumaPolicy::kBestEffort,
                                        {{{"nvidia.com/gpu", 4}, {"memory", 1 * kGiB}},
                                         {{"nvidia.com/gpu", 1}, {"memory", 8 * kGiB}}})});
  EXPECT_EQ(Place(engine, Asking({{"nvidia.com/gpu", 4}, {"memory", 8 * kGiB}}), "nvidia.com/gpu"),
            "a node-0:3 node-1:1");
}

TEST(Numa, PodScopeCountsTheOverheadOfThePod) {
  const auto place = [](int64_t overhead) {
    Engine engine =
        NumaCluster({NumaNode("a", NumaPolicy::kSingleNode,
                              {{{"memory", 4 * kGiB}}, {{"memory", 4 * kGiB}}}, NumaScope::kPod)});
    auto shape = Asking({{"memory", 4 * kGiB}});
    if (overhead > 0) shape->overhead["memory"] = base::Quantity::FromUnits(overhead);
    return Place(engine, shape, "memory");
  };
  EXPECT_EQ(place(0), "a node-0:" + std::to_string(4 * kGiB));
  EXPECT_EQ(place(1), "");
}

TEST(Numa, SidecarsTakeTheirZonesFirst) {
  Engine engine = NumaCluster(
      {NumaNode("a", NumaPolicy::kSingleNode, std::vector<Zone>(2, {{"example.com/nic", 4}}))});
  auto shape = Asking({{"example.com/nic", 3}});
  shape->containers.push_back({"sidecar",
                               ContainerKind::kSidecar,
                               {{"example.com/nic", base::Quantity::FromUnits(2)}},
                               {},
                               {}});
  EXPECT_EQ(Place(engine, shape, "example.com/nic"), "a node-0:2 node-1:3");
}

TEST(Numa, AResourceOfWhichZonesHaveNoneIsStillTheirs) {
  const auto place = [](const std::vector<Zone>& zones) {
    Engine engine = NumaCluster({NumaNode("a", NumaPolicy::kSingleNode, zones)});
    return Place(engine, Asking({{"example.com/nic", 1}}), "example.com/nic");
  };
  EXPECT_EQ(place({{{"cpu", 64000}, {"example.com/nic", 0}}}), "");
  EXPECT_EQ(place({{{"cpu", 64000}}}), "a");
}

TEST(Numa, PodsAskingForDevicesAreScoredEverywhere) {
  NodeSpec plain = GpuNode("a", 8);
  plain.allocatable["example.com/nic"] = base::Quantity::FromUnits(8);
  const NodeSpec two = NumaNode("b", NumaPolicy::kNone, {{{"cpu", 64000}}, {{"cpu", 64000}}});
  const NodeSpec four =
      NumaNode("c", NumaPolicy::kBestEffort, std::vector<Zone>(4, {{"example.com/nic", 1}}));
  const auto shape = Asking({{"example.com/nic", 4}}, QosClass::kBurstable);
  // At worst four zones on "a", two on "b" whatever it aligns, four on "c".
  Engine engine = NumaCluster({plain, two, four});
  EXPECT_EQ(Place(engine, shape, "example.com/nic"), "b");
  Engine ignoring = NumaCluster({plain, two, four}, "example.com/nic");
  EXPECT_EQ(Place(ignoring, shape, "example.com/nic"), "a");
}

TEST(Numa, ANodeWithoutZonesIsNoNumaNode) {
  Engine engine = NumaCluster({NumaNode("a", NumaPolicy::kSingleNode, {}),
                               NumaNode("b", NumaPolicy::kNone, std::vector<Zone>(2))});
  EXPECT_EQ(Place(engine, Asking({}), "cpu"), "a");
}

TEST(Numa, PlacementsCarryTheNameThatTheZonesReport) {
  NodeSpec node = NumaNode("a", NumaPolicy::kSingleNode, {{{"amd.com/gpu", 4}}});
  node.allocatable.erase("nvidia.com/gpu");
  node.allocatable["amd.com/gpu"] = base::Quantity::FromUnits(4);
  Engine engine = NumaCluster({node});
  EXPECT_EQ(Place(engine, Asking({{"amd.com/gpu", 2}}), "amd.com/gpu"), "a node-0:2");
}

// Every pod that is known to be in a zone is charged to it; only pods that the policy aligns would
// free it.
TEST(Numa, PodsThatAreNotAlignedHoldTheirZonesWhenTheyAreEvicted) {
  const auto evicts = [](QosClass qos) {
    Engine engine = NumaCluster({NumaNode("a", NumaPolicy::kSingleNode, {{{"cpu", 64000}}})});
    PutGang(engine, "low", {.shape = Asking({{"cpu", 60}}, qos), .node = "a"});
    PodSpec pod;
    pod.name = pod.uid = "low-0";
    pod.shape = Asking({{"cpu", 60}}, qos);
    pod.pod_group = "low";
    pod.node = "a";
    pod.status = TaskStatus::kRunning;
    pod.numa_placement = {{"node-0", {{"cpu", base::Quantity::FromUnits(60)}}}};
    engine.PutPod(pod);
    PutGang(engine, "high", {.shape = Asking({{"cpu", 60}}), .priority = 75});
    return engine.RunCycle(kNow).evictions.size();
  };
  EXPECT_EQ(evicts(QosClass::kGuaranteed), 1u);
  EXPECT_EQ(evicts(QosClass::kBurstable), 0u);
}

TEST(Numa, WhatTheNodeReportedOutweighsARequestAndThatAnEarlierPrediction) {
  BindRequestSpec request;
  request.numa_placement = {{"node-1", {}}};
  PodSpec pod;
  pod.numa_placement = {{"node-0", {}}};
  ApplyBindRequest(request, pod);
  EXPECT_EQ(pod.numa_placement[0].zone, "node-1");
  pod.numa_placement = {{"node-0", {}}};
  pod.numa_observed = true;
  ApplyBindRequest(request, pod);
  EXPECT_EQ(pod.numa_placement[0].zone, "node-0");
}

}  // namespace
}  // namespace coppice::engine
