#include "engine/placement/node_queues.h"

#include <gtest/gtest.h>

#include "engine/tests/cluster_testing.h"
#include "engine/tests/cycle_testing.h"

namespace coppice::engine {
namespace {

using namespace testing;  // NOLINT: of this folder

class NodeQueuesTest : public ::testing::Test {
 protected:
  NodeQueuesTest() {
    cycle_.cluster.PutQueue(TopQueue("team"));
    for (int i = 0; i < 4; ++i) cycle_.cluster.PutNode(GpuNode("n" + std::to_string(i), 8));
    PutGang(cycle_.cluster, "g", {.queue = "team", .pods = 2, .shape = GpuShape(3)});
    cycle_.Open();
    scorer_.emplace(*cycle_.session);
    queues_.emplace(*cycle_.session, *scorer_);
    first_ = cycle_.cluster.FindTask("g-0");
    second_ = cycle_.cluster.FindTask("g-1");
    some_ = {All()[0], All()[1]};
  }
  const NodeSet& All() const { return cycle_.cluster.node_order(); }
  NodeQueue* For(TaskId task, const NodeSet& nodes) { return &queues_->For(task, nodes); }

  OpenedCycle cycle_;
  std::optional<NodeScorer> scorer_;
  std::optional<NodeQueues> queues_;
  TaskId first_ = kNone, second_ = kNone;
  NodeSet some_;
};

TEST_F(NodeQueuesTest, TasksOfOneClassShareTheQueueForAllNodes) {
  NodeQueue* const queue = For(first_, All());
  queues_->BeginSet();
  EXPECT_EQ(For(second_, All()), queue);
}

TEST_F(NodeQueuesTest, AnotherSetHasQueuesOfItsOwn) {
  EXPECT_EQ(For(first_, some_)->Best(first_), All()[0]);
  queues_->BeginSet();
  const NodeSet others{All()[2], All()[3]};
  EXPECT_EQ(For(first_, others)->Best(first_), All()[2]);
}

TEST_F(NodeQueuesTest, QueuesFollowASetThatDiffersLittle) {
  queues_->BeginSetLike(some_);
  NodeQueue* const queue = For(first_, some_);
  const NodeSet later{All()[1], All()[2]};
  queues_->BeginSetLike(later);
  EXPECT_EQ(For(first_, later), queue);
  EXPECT_EQ(queue->Best(first_), All()[1]);
}

TEST_F(NodeQueuesTest, ADomainsQueueOutlivesTheSet) {
  const TopologyTree tree(cycle_.cluster, {"t", {}});
  NodeQueue* queue = nullptr;
  {
    const NodeQueues::Domain domain(*queues_, {&tree, 0, &some_});
    queue = For(first_, some_);
  }
  const NodeQueues::Domain again(*queues_, {&tree, 0, &some_});
  EXPECT_EQ(For(second_, some_), queue);
}

TEST_F(NodeQueuesTest, RefusalsAreKnownUntilANodeChanges) {
  NodeQueue* const queue = For(first_, All());
  EXPECT_FALSE(queue->KnowsRefusals());
  queue->NoteRefusals({{"too small", 4}}, true);
  EXPECT_TRUE(queue->KnowsRefusals());
  cycle_.cluster.AddIdle(All()[0], kGpu, -kGpuUnit);
  EXPECT_FALSE(queue->KnowsRefusals());
}

}  // namespace
}  // namespace coppice::engine
