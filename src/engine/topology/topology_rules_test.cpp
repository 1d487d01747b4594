#include <gtest/gtest.h>

#include <map>
#include <set>

#include "engine/engine.h"
#include "engine/tests/cluster_testing.h"

namespace coppice::engine {
namespace {

using namespace testing;  // NOLINT: of this folder

// Gangs that require a rack, given by its label or its alias.
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

TEST(TopologyLevels, APreferredOneAboveTheRequiredOneIsAnError) {
  const auto bound = [](const std::string& required, const std::string& preferred) {
    Engine engine(Configuration::Defaults());
    engine.PutQueue(TopQueue("team"));
    engine.PutTopology({"t", {{"block", ""}, {"rack", ""}}});
    engine.PutNode(GpuNode("a", 1, {{"block", "b0"}, {"rack", "r0"}}));
    engine.PutNode(GpuNode("b", 1, {{"block", "b0"}, {"rack", "r1"}}));
    PutGang(engine, "g",
            {.shape = GpuShape(1), .topology = TopologyConstraint{"t", required, preferred}});
    return engine.RunCycle(kNow).binds.size();
  };
  EXPECT_EQ(bound("block", "rack"), 1u);
  EXPECT_EQ(bound("rack", "rack"), 1u);
  EXPECT_EQ(bound("rack", "block"), 0u);
}

// Three pods, of which the largest fits once on each node of a rack: pods with similar requests are
// counted by the largest.
TEST(TopologyRoom, PodsThatAskForGpuMemoryAreLikeThoseWithoutGpus) {
  const auto bound = [](std::shared_ptr<PodShape> large) {
    Engine engine(Configuration::Defaults());
    engine.PutQueue(TopQueue("team"));
    engine.PutTopology({"t", {{"rack", ""}}});
    for (const auto& [name, rack] :
         std::map<std::string, std::string>{{"a", "r0"}, {"b", "r0"}, {"c", "r1"}}) {
      NodeSpec node = GpuNode(name, 1, {{"rack", rack}});
      node.allocatable["cpu"] = base::Quantity::FromUnits(4);
      engine.PutNode(node);
    }
    PutGang(engine, "g",
            {.pods = 2,
             .min = 3,
             .shape = GpuShape(0),
             .topology = TopologyConstraint{"t", "rack", ""}});
    large->containers[0].requests["cpu"] = base::Quantity::FromUnits(3);
    PodSpec pod;
    pod.uid = pod.name = "g-2";
    pod.pod_group = "g";
    pod.shape = large;
    engine.PutPod(pod);
    return engine.RunCycle(kNow).binds.size();
  };
  auto memory = GpuShape(0);
  memory->annotations["gpu-memory"] = "1000";
  EXPECT_EQ(bound(memory), 0u);
  EXPECT_EQ(bound(FractionShape("0.5")), 3u) << "unlike the others, so that only sums count";
}

}  // namespace
}  // namespace coppice::engine
