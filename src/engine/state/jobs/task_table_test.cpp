#include "engine/state/jobs/task_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/state/values/operations.h"

namespace coppice::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class TaskTableTest : public ::testing::Test, private Journal::Reverser {
 protected:
  void Reverse(uint8_t operation, int32_t, int32_t, int64_t) override {
    if (operation == kShrinkPlaces) table_.TakeBackPlace();
  }
  std::vector<TaskId> On(NodeId node) const {
    std::vector<TaskId> tasks;
    for (TaskId id = table_.FirstOn(node); id != kNone; id = table_[id].next_on_node) {
      tasks.push_back(id);
    }
    return tasks;
  }

  Journal journal_{*this};
  TaskTable table_{journal_};
};

TEST_F(TaskTableTest, NumbersAreUsedAgain) {
  const TaskId first = table_.New(1);
  table_.Drop(first);
  EXPECT_EQ(table_.Find(1), kNone);
  EXPECT_EQ(table_.New(2), first);
  EXPECT_EQ(table_.Find(2), first);
}

TEST_F(TaskTableTest, ANodesListHasThoseWhoseHomeItIs) {
  const TaskId a = table_.New(1), b = table_.New(2), c = table_.New(3);
  for (TaskId task : {a, b, c}) table_.SetHome(task, 7);
  EXPECT_THAT(On(7), UnorderedElementsAre(a, b, c));
  table_.SetHome(b, 4);
  EXPECT_THAT(On(7), UnorderedElementsAre(a, c));
  EXPECT_THAT(On(4), ElementsAre(b));
  table_.SetHome(b, kNone);
  EXPECT_THAT(On(4), IsEmpty());
  EXPECT_THAT(On(99), IsEmpty());
}

TEST_F(TaskTableTest, PlacesLeftBehindHangTogetherAndAreTakenBack) {
  const TaskId task = table_.New(1);
  journal_.Start();
  table_[task].node = 5;
  table_.LeaveBehind(task);
  const size_t mark = journal_.Mark();
  table_[task].node = 6;
  table_.LeaveBehind(task);
  EXPECT_EQ(table_.places()[table_[task].other_places].node, 6);
  EXPECT_EQ(table_.places()[table_.places().back().next].node, 5);
  journal_.RollbackTo(mark);
  EXPECT_EQ(table_.places().size(), 1u);
  EXPECT_EQ(table_.places()[table_[task].other_places].node, 5);
}

}  // namespace
}  // namespace coppice::engine
