#include <gtest/gtest.h>

#include "engine/tests/cluster_testing.h"
#include "engine/tests/status_testing.h"

namespace coppice::engine {
namespace {

using namespace testing;  // NOLINT: of this folder

Configuration Configured() {
  Configuration configuration = Configuration::Defaults();
  for (auto& plugin : configuration.plugins) {
    if (plugin.name == "nodeplacement") plugin.arguments["gpu"] = "leastfragmentation";
  }
  return configuration;
}

std::shared_ptr<PodShape> WithCores(std::shared_ptr<PodShape> shape, int64_t cores) {
  shape->containers[0].requests["cpu"] = base::Quantity::FromUnits(cores);
  return shape;
}

NodeSpec Sized(const std::string& name, int gpus, int64_t cores, Labels labels = {}) {
  NodeSpec node = GpuNode(name, gpus, std::move(labels));
  node.allocatable["cpu"] = base::Quantity::FromUnits(cores);
  return node;
}

class LeastFragmentation : public ::testing::Test {
 protected:
  LeastFragmentation() : engine_(Configured()) { engine_.PutQueue(TopQueue("team")); }

  // Pods of later groups are younger.
  void Put(const std::string& name, GangOptions options) {
    options.creation = kNow - std::chrono::hours(10) + std::chrono::seconds(++groups_);
    PutGang(engine_, name, options);
  }
  std::string NodeOfPod(const std::string& uid) { return engine_.FindPod(uid)->node; }
  std::vector<std::string> GpusOf(const std::string& uid) {
    return engine_.FindPod(uid)->gpu_groups;
  }

  Engine engine_;
  int groups_ = 0;
};

TEST_F(LeastFragmentation, WithNothingSeenTakesTheFullerNode) {
  engine_.PutNode(GpuNode("a", 8));
  engine_.PutNode(GpuNode("b", 8));
  Put("there", {.shape = GpuShape(4), .node = "b"});
  Put("new", {.shape = GpuShape(1)});
  engine_.RunCycle(kNow);
  EXPECT_EQ(NodeOfPod("new-0"), "b");
}

TEST_F(LeastFragmentation, PutsPodsWithMuchCpuWhereGpusAreShort) {
  // Bin packing would choose "a", and leave seven GPUs there with one core each.
  engine_.PutNode(Sized("a", 8, 48));
  engine_.PutNode(Sized("b", 8, 256));
  Put("there", {.shape = GpuShape(1), .node = "a"});
  Put("usual", {.pods = 8, .shape = WithCores(GpuShape(1), 6), .gated = true});
  Put("hungry", {.shape = WithCores(GpuShape(1), 40)});
  engine_.RunCycle(kNow);
  EXPECT_EQ(NodeOfPod("hungry-0"), "b");
}

TEST_F(LeastFragmentation, LeavesAModelToThoseWhoInsistOnIt) {
  engine_.PutNode(GpuNode("a", 1, {{"model", "rare"}}));
  engine_.PutNode(GpuNode("b", 1, {{"model", "common"}}));
  auto picky = GpuShape(1);
  picky->node_selector["model"] = "rare";
  Put("first", {.shape = GpuShape(1)});
  Put("second", {.shape = picky});
  engine_.RunCycle(kNow);
  EXPECT_EQ(NodeOfPod("first-0"), "b");
  EXPECT_EQ(NodeOfPod("second-0"), "a");
}

TEST_F(LeastFragmentation, ChoosesTheGpuThatTheShareFills) {
  engine_.PutNode(GpuNode("a", 3));
  Put("most", {.shape = FractionShape("0.7")});
  Put("half", {.shape = FractionShape("0.5")});
  engine_.RunCycle(kNow);
  ASSERT_NE(GpusOf("most-0"), GpusOf("half-0"));
  Put("other", {.shape = FractionShape("0.5")});
  Put("rest", {.shape = FractionShape("0.3")});
  engine_.RunCycle(kNow);
  EXPECT_EQ(GpusOf("other-0"), GpusOf("half-0"));
  EXPECT_EQ(GpusOf("rest-0"), GpusOf("most-0"));
}

TEST_F(LeastFragmentation, CountsGpuMemoryLikeAShare) {
  engine_.PutNode(GpuNode("a", 2, {{"nvidia.com/gpu.memory", "10000"}}));
  auto memory = GpuShape(0);
  memory->annotations["gpu-memory"] = "3000";
  Put("most", {.shape = FractionShape("0.7")});
  Put("half", {.shape = FractionShape("0.5")});
  Put("rest", {.shape = memory});
  engine_.RunCycle(kNow);
  EXPECT_EQ(GpusOf("rest-0"), GpusOf("most-0"));
}

TEST_F(LeastFragmentation, TellsRestsApartThatAreAlmostTheSame) {
  engine_.PutNode(GpuNode("a", 2, {{"nvidia.com/gpu.memory", "10000"}}));
  const auto memory = [](const char* mib) {
    auto shape = GpuShape(0);
    shape->annotations["gpu-memory"] = mib;
    return shape;
  };
  Put("first", {.shape = memory("5040")});
  Put("second", {.shape = memory("5000")});
  engine_.RunCycle(kNow);
  ASSERT_NE(GpusOf("first-0"), GpusOf("second-0"));
  Put("third", {.shape = memory("5000")});
  engine_.RunCycle(kNow);
  EXPECT_EQ(GpusOf("third-0"), GpusOf("second-0"));
}

TEST_F(LeastFragmentation, RemembersNoMigInstances) {
  NodeSpec node = GpuNode("a", 1, {{"nvidia.com/mig.strategy", "mixed"}});
  node.allocatable["nvidia.com/mig-1g.10gb"] = base::Quantity::FromUnits(2);
  engine_.PutNode(node);
  engine_.PutNode(GpuNode("b", 1));
  auto instance = GpuShape(0);
  instance->containers[0].requests["nvidia.com/mig-1g.10gb"] = base::Quantity::FromUnits(1);
  Put("instance", {.shape = instance});
  engine_.RunCycle(kNow);
  ASSERT_EQ(NodeOfPod("instance-0"), "a");
  Put("whole", {.shape = GpuShape(1)});
  engine_.RunCycle(kNow);
  EXPECT_EQ(NodeOfPod("whole-0"), "b");
}

TEST_F(LeastFragmentation, CountsPodsThatAskForAlmostNoMemory) {
  engine_.PutNode(Sized("a", 8, 48));
  engine_.PutNode(Sized("b", 8, 256));
  Put("there", {.shape = GpuShape(1), .node = "a"});
  auto usual = WithCores(GpuShape(1), 6);
  usual->containers[0].requests["memory"] = base::Quantity::FromUnits(1);
  Put("usual", {.pods = 8, .shape = usual, .gated = true});
  Put("hungry", {.shape = WithCores(GpuShape(1), 40)});
  engine_.RunCycle(kNow);
  EXPECT_EQ(NodeOfPod("hungry-0"), "b");
}

// Eight shares of one half, and more whole GPUs requested than exist. The first shares open GPUs
// that later ones fill, and in the end each GPU has two.
TEST_F(LeastFragmentation, GivesNothingTwiceWhenMoreWaitsThanFits) {
  for (const char* node : {"a", "b", "c"}) engine_.PutNode(GpuNode(node, 4));
  for (int i = 0; i < 8; ++i) Put("s" + std::to_string(i), {.shape = FractionShape("0.5")});
  for (int i = 0; i < 12; ++i) Put("w" + std::to_string(i), {.shape = GpuShape(1)});
  engine_.RunCycle(kNow);
  std::map<std::string, int> on;
  int whole = 0;
  for (int i = 0; i < 8; ++i) {
    const auto gpus = GpusOf("s" + std::to_string(i) + "-0");
    ASSERT_EQ(gpus.size(), 1u);
    ++on[gpus[0]];
  }
  for (int i = 0; i < 12; ++i) whole += !NodeOfPod("w" + std::to_string(i) + "-0").empty();
  EXPECT_EQ(on.size(), 4u);
  EXPECT_EQ(whole, 8);
}

TEST_F(LeastFragmentation, KeepsNodesForWhatWasSeenBefore) {
  engine_.PutNode(Sized("a", 2, 64));
  engine_.PutNode(Sized("b", 2, 256));
  Put("past", {.shape = WithCores(GpuShape(1), 30)});
  engine_.RunCycle(kNow);
  ASSERT_FALSE(NodeOfPod("past-0").empty());
  engine_.RemovePod("past-0");
  engine_.RemovePodGroup("ns", "past");
  // Pods with 30 cores are expected although none exists: a pod that needs few cores goes where it
  // does not displace any of them.
  Put("cpu", {.shape = WithCores(GpuShape(0), 40)});
  engine_.RunCycle(kNow + std::chrono::minutes(1));
  EXPECT_EQ(NodeOfPod("cpu-0"), "b");
}

}  // namespace
}  // namespace coppice::engine
