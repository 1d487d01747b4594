#include "operator/common/dirty_replicas.h"

#include <gtest/gtest.h>

namespace coppice::operators::podcliqueset {
namespace {

using std::chrono::seconds;

const api::ObjectKey kSet{"team", "a"};
constexpr base::Instant kNow{};

class DirtyReplicasTest : public testing::Test {
 protected:
  DirtyReplicasTest() {
    dirty.Take(kSet, kNow);
    dirty.Reconciled(kSet, StepOutcome::Done(), kNow);
  }

  DirtyReplicas dirty;
};

TEST(DirtyReplicas, ASetNeverSeenIsAllDirty) {
  DirtyReplicas dirty;
  EXPECT_TRUE(dirty.Take(kSet, kNow).all());
  dirty.Forget(kSet);
  EXPECT_TRUE(dirty.Take(kSet, kNow).all());
}

TEST_F(DirtyReplicasTest, ChangesOfReplicasAffectOnlyThem) {
  dirty.MarkDirty(kSet, 4);
  dirty.MarkDirty(kSet, 1);
  dirty.MarkDirty(kSet, 4);
  const Scope scope = dirty.Take(kSet, kNow);
  EXPECT_FALSE(scope.all());
  EXPECT_EQ(scope.Of(10), (std::vector{1, 4}));
  EXPECT_TRUE(dirty.Take(kSet, kNow).Of(10).empty());
}

TEST_F(DirtyReplicasTest, AChangeOfTheSetAffectsAllReplicas) {
  dirty.MarkDirty(kSet, 4);
  dirty.MarkDirty(kSet, std::nullopt);
  EXPECT_TRUE(dirty.Take(kSet, kNow).all());
  EXPECT_FALSE(dirty.Take(kSet, kNow).all());
}

TEST_F(DirtyReplicasTest, AFailedPassIsRepeatedInFull) {
  dirty.Reconciled(kSet, StepOutcome::Failed("ERR", "Sync", base::Internal("broken")), kNow);
  EXPECT_TRUE(dirty.Take(kSet, kNow).all());
  dirty.Reconciled(kSet, StepOutcome::RequeueAfter("waits", seconds(5)), kNow);
  EXPECT_TRUE(dirty.Take(kSet, kNow).all());
}

TEST_F(DirtyReplicasTest, ARequestedFullPassComesInTimeWhateverIsMarkedUntilThen) {
  dirty.Reconciled(kSet, StepOutcome::ContinueAndRequeue("breached", seconds(60)), kNow);
  dirty.MarkDirty(kSet, 1);
  EXPECT_FALSE(dirty.Take(kSet, kNow + seconds(59)).all());
  const auto again = dirty.Reconciled(
      kSet, StepOutcome::ContinueAndRequeue("breached later", seconds(60)), kNow + seconds(59));
  EXPECT_EQ(again, seconds(1)) << "whatever came of the pass that asked";
  dirty.MarkDirty(kSet, 1);
  EXPECT_TRUE(dirty.Take(kSet, kNow + seconds(60)).all());
  EXPECT_FALSE(dirty.Take(kSet, kNow + seconds(61)).all());
  EXPECT_FALSE(dirty.Reconciled(kSet, StepOutcome::Done(), kNow + seconds(61)));
}

}  // namespace
}  // namespace coppice::operators::podcliqueset
