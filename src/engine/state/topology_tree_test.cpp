#include "engine/state/topology_tree.h"

#include <gtest/gtest.h>

#include "engine/tests/cluster_testing.h"

namespace coppice::engine {
namespace {

using namespace testing;  // NOLINT: of this folder

// Two nodes with one GPU, and a gang of two pods that must share a rack.
class TopologyTreeTest : public ::testing::Test {
 protected:
  TopologyTreeTest() {
    engine.PutQueue(TopQueue("team"));
    engine.PutTopology({"t", {{"rack", ""}}});
    PutGang(engine, "pair",
            {.pods = 2, .shape = GpuShape(1), .topology = TopologyConstraint{"t", "rack", ""}});
  }
  void PutNode(const std::string& name, const std::string& rack) {
    engine.PutNode(GpuNode(name, 1, {{"rack", rack}}));
  }
  size_t Bound() { return engine.RunCycle({}).binds.size(); }

  Engine engine{Configuration::Defaults()};
};

TEST_F(TopologyTreeTest, FollowsLabelsThatChangeBetweenCycles) {
  PutNode("a", "1");
  PutNode("b", "2");
  EXPECT_EQ(Bound(), 0u);
  PutNode("b", "1");
  EXPECT_EQ(Bound(), 2u);
}

TEST_F(TopologyTreeTest, FollowsNodesThatComeAndGo) {
  PutNode("a", "1");
  PutNode("b", "1");
  engine.RemoveNode("b");
  EXPECT_EQ(Bound(), 0u);
  PutNode("c", "1");
  EXPECT_EQ(Bound(), 2u);
}

TEST_F(TopologyTreeTest, FollowsTheTopology) {
  PutNode("a", "1");
  PutNode("b", "1");
  engine.PutTopology({"t", {{"block", ""}}});
  EXPECT_EQ(Bound(), 0u);
  engine.PutTopology({"t", {{"rack", ""}}});
  EXPECT_EQ(Bound(), 2u);
}

TEST_F(TopologyTreeTest, ANodeWithoutAllLabelsIsInNoDomain) {
  engine.PutTopology({"t", {{"block", ""}, {"rack", ""}}});
  engine.PutNode(GpuNode("a", 1, {{"block", "x"}, {"rack", "1"}}));
  engine.PutNode(GpuNode("b", 1, {{"rack", "1"}}));
  EXPECT_EQ(Bound(), 0u);
  engine.PutNode(GpuNode("b", 1, {{"block", "x"}, {"rack", "1"}}));
  EXPECT_EQ(Bound(), 2u);
}

TEST_F(TopologyTreeTest, DomainsOfOneNameUnderDifferentParentsAreTwo) {
  engine.PutTopology({"t", {{"block", ""}, {"rack", ""}}});
  engine.PutNode(GpuNode("a", 1, {{"block", "x"}, {"rack", "1"}}));
  engine.PutNode(GpuNode("b", 1, {{"block", "y"}, {"rack", "1"}}));
  EXPECT_EQ(Bound(), 0u);
  engine.PutNode(GpuNode("c", 1, {{"block", "y"}, {"rack", "1"}}));
  EXPECT_EQ(Bound(), 2u);
}

// The tree is older than the node, which only a pod has named.
TEST_F(TopologyTreeTest, APodOnAnUnknownNodeIsInNoDomain) {
  PutNode("a", "1");
  EXPECT_EQ(Bound(), 0u);
  PodSpec pod;
  pod.uid = pod.name = "pair-0";
  pod.pod_group = "pair";
  pod.shape = GpuShape(1);
  pod.status = TaskStatus::kRunning;
  pod.node = "nowhere";
  engine.PutPod(pod);
  EXPECT_EQ(Bound(), 0u);
}

}  // namespace
}  // namespace coppice::engine
