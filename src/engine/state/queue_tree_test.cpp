#include "engine/state/queue_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/tests/cluster_testing.h"

namespace coppice::engine {
namespace {

using namespace testing;  // NOLINT: of this folder
using ::testing::ElementsAre;

class QueueTreeTest : public ::testing::Test {
 protected:
  void Refresh(bool flat = false) { tree_.Refresh(flat, problems_); }
  const Queue& Of(const std::string& name) const { return tree_[tree_.Find(name)]; }

  Names names_;
  QueueTree tree_{names_};
  InputProblems problems_;
};

TEST_F(QueueTreeTest, ChildrenAreInTheOrderOfTheirNames) {
  for (const char* name : {"b", "c", "a"}) tree_.Put(ChildQueue(name, "top"));
  tree_.Put(TopQueue("top"));
  Refresh();
  EXPECT_THAT(tree_.roots(), ElementsAre(tree_.Find("top")));
  EXPECT_THAT(Of("top").children, ElementsAre(tree_.Find("a"), tree_.Find("b"), tree_.Find("c")));
  EXPECT_EQ(Of("a").parent, tree_.Find("top"));
}

TEST_F(QueueTreeTest, OnlyQueuesWhoseAncestorsAllExistAreReachable) {
  tree_.Put(TopQueue("top"));
  tree_.Put(ChildQueue("middle", "top"));
  tree_.Put(ChildQueue("low", "middle"));
  Refresh();
  EXPECT_TRUE(Of("low").reachable);
  tree_.Remove(tree_.Find("middle"));
  Refresh();
  EXPECT_FALSE(Of("low").reachable);
  EXPECT_TRUE(Of("top").leaf());
  EXPECT_EQ(tree_.Find("middle"), kNone);
}

TEST_F(QueueTreeTest, WithoutDepartmentsTopQueuesVanish) {
  tree_.Put(TopQueue("top"));
  tree_.Put(ChildQueue("low", "top"));
  Refresh(true);
  EXPECT_THAT(tree_.roots(), ElementsAre(tree_.Find("low")));
  EXPECT_FALSE(Of("top").reachable);
  EXPECT_EQ(Of("low").parent, kNone);
}

TEST_F(QueueTreeTest, AChargeReachesEveryAncestor) {
  tree_.Put(TopQueue("top"));
  tree_.Put(ChildQueue("low", "top"));
  Refresh();
  tree_.Charge(tree_.Find("low"), {{1, 2, 3}}, false, +1);
  EXPECT_EQ(Of("top").allocated[2], 3);
  EXPECT_EQ(Of("top").allocated_non_preemptible[1], 2);
  tree_.Charge(tree_.Find("low"), {{1, 2, 3}}, false, -1);
  EXPECT_EQ(Of("top").allocated[2], 0);
}

}  // namespace
}  // namespace coppice::engine
