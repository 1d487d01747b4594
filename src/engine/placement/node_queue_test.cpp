#include "engine/placement/node_queue.h"

#include <gtest/gtest.h>

#include <random>

#include "engine/tests/cluster_testing.h"
#include "engine/tests/cycle_testing.h"

namespace coppice::engine {
namespace {

using namespace testing;  // NOLINT: of this folder

class NodeQueueTest : public ::testing::Test {
 protected:
  NodeQueueTest() {
    cycle_.cluster.PutQueue(TopQueue("team"));
    for (int i = 0; i < kNodes; ++i) cycle_.cluster.PutNode(GpuNode("n" + std::to_string(i), 8));
    PutGang(cycle_.cluster, "g", {.queue = "team", .shape = GpuShape(3)});
    cycle_.Open();
    task_ = cycle_.cluster.FindTask("g-0");
    scorer_.emplace(*cycle_.session);
    scorer_->PrepareClass(task_);
  }

  NodeQueue Queue(const NodeSet& nodes) {
    return NodeQueue(*cycle_.session, *scorer_, task_, nodes);
  }
  // Adds or removes GPUs of a random node.
  void ChangeSomeNode() {
    const NodeId node = cycle_.cluster.node_order()[Any(kNodes)];
    const int64_t idle = cycle_.cluster.amounts().idle(node)[kGpu];
    cycle_.cluster.AddIdle(node, kGpu, Any(9) * kGpuUnit - idle);
  }
  int Any(int below) { return std::uniform_int_distribution<int>(0, below - 1)(random_); }

  static constexpr int kNodes = 20;
  OpenedCycle cycle_;
  TaskId task_ = kNone;
  std::optional<NodeScorer> scorer_;
  std::mt19937 random_{1};
};

TEST_F(NodeQueueTest, FollowsChargesAndTheSetAsIfItWereNew) {
  NodeSet nodes = cycle_.cluster.node_order();
  NodeQueue followed = Queue(nodes);
  for (int step = 0; step < 500; ++step) {
    for (int i = Any(12); i > 0; --i) ChangeSomeNode();
    const NodeId node = cycle_.cluster.node_order()[Any(kNodes)];
    if (std::erase(nodes, node) > 0) {
      followed.Exclude(node);
    } else {
      nodes.push_back(node);
      followed.Include(node);
    }
    ASSERT_EQ(followed.Best(task_), Queue(nodes).Best(task_)) << "step " << step;
  }
}

TEST_F(NodeQueueTest, IsBehindOnceReadingCostsMoreThanANewOne) {
  NodeQueue queue = Queue({cycle_.cluster.node_order()[0]});
  EXPECT_FALSE(queue.Behind());
  for (int i = 0; i < 100; ++i) ChangeSomeNode();
  EXPECT_TRUE(queue.Behind());
  queue.Best(task_);
  EXPECT_FALSE(queue.Behind());
}

}  // namespace
}  // namespace coppice::engine
