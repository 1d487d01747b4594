#include "kube/executor/stepper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/executor/strand.h"
#include "kube/executor/task_scope.h"

namespace coppice::kube {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

std::vector<int> OrderOfTen(uint64_t seed) {
  Stepper stepper(seed);
  std::vector<int> order;
  for (int i = 0; i < 10; ++i) stepper.Post([&order, i] { order.push_back(i); });
  EXPECT_TRUE(stepper.RunUntilIdle());
  return order;
}

TEST(Stepper, SeedZeroRunsInOrder) {
  EXPECT_THAT(OrderOfTen(0), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
}

TEST(Stepper, SeedDecidesTheOrder) {
  EXPECT_EQ(OrderOfTen(7), OrderOfTen(7));
  EXPECT_NE(OrderOfTen(7), OrderOfTen(8));
  EXPECT_THAT(OrderOfTen(7), testing::UnorderedElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
}

TEST(Stepper, IdleRunsOnlyWhatIsDue) {
  Stepper stepper;
  int fired = 0;
  stepper.PostAfter(0s, [&] { ++fired; });
  stepper.PostAfter(1s, [&] { ++fired; });
  EXPECT_TRUE(stepper.RunUntilIdle());
  EXPECT_EQ(fired, 1);
}

TEST(Stepper, RunForFiresTimersInOrderAndMovesTheClock) {
  Stepper stepper;
  const base::Time start = stepper.Now();
  std::vector<std::pair<int, base::Duration>> seen;
  stepper.PostAfter(3s, [&] { seen.emplace_back(3, stepper.Now() - start); });
  stepper.PostAfter(1s, [&] {
    seen.emplace_back(1, stepper.Now() - start);
    stepper.PostAfter(1s, [&] { seen.emplace_back(2, stepper.Now() - start); });
  });
  stepper.PostAfter(11s, [&] { seen.emplace_back(11, stepper.Now() - start); });
  EXPECT_TRUE(stepper.RunFor(10s));
  using P = std::pair<int, base::Duration>;
  EXPECT_THAT(seen, ElementsAre(P(1, 1s), P(2, 2s), P(3, 3s)));
  EXPECT_EQ(stepper.Now() - start, 10s);
}

TEST(Stepper, RunUntilStopsAtThePredicateOrTheLimit) {
  Stepper stepper;
  const base::Time start = stepper.Now();
  bool fired = false;
  stepper.PostAfter(5s, [&] { fired = true; });
  EXPECT_FALSE(stepper.RunUntil([&] { return fired; }, 4s));
  EXPECT_EQ(stepper.Now() - start, 4s);
  EXPECT_TRUE(stepper.RunUntil([&] { return fired; }, 1h));
  EXPECT_EQ(stepper.Now() - start, 5s);
}

TEST(Stepper, CancelledTimerDoesNotFire) {
  Stepper stepper;
  bool fired = false;
  const auto timer = stepper.PostAfter(1s, [&] { fired = true; });
  EXPECT_TRUE(stepper.Cancel(timer));
  EXPECT_FALSE(stepper.Cancel(timer));
  stepper.RunFor(2s);
  EXPECT_FALSE(fired);
}

TEST(Stepper, LivelockIsReported) {
  Stepper stepper;
  stepper.set_step_limit(100);
  std::function<void()> again = [&] { stepper.Post(again); };
  stepper.Post(again);
  EXPECT_FALSE(stepper.RunUntilIdle());
  EXPECT_FALSE(stepper.RunUntil([] { return false; }, 1h));
}

TEST(Strand, KeepsOrderUnderAnySeed) {
  for (uint64_t seed = 1; seed < 20; ++seed) {
    Stepper stepper(seed);
    Strand a(stepper);
    Strand b(stepper);
    std::vector<int> seen_a;
    std::vector<int> seen_b;
    for (int i = 0; i < 5; ++i) {
      a.Post([&, i] { seen_a.push_back(i); });
      b.Post([&, i] { seen_b.push_back(i); });
    }
    stepper.RunUntilIdle();
    EXPECT_THAT(seen_a, ElementsAre(0, 1, 2, 3, 4));
    EXPECT_THAT(seen_b, ElementsAre(0, 1, 2, 3, 4));
  }
}

TEST(TaskScope, TasksDieWithTheScope) {
  Stepper stepper;
  int ran = 0;
  {
    TaskScope scope(stepper);
    scope.Post([&] { ++ran; });
    scope.PostAfter(1s, [&] { ++ran; });
  }
  stepper.RunFor(2s);
  EXPECT_EQ(ran, 0);
}

TEST(TaskScope, ClosesFromWithinItsOwnTask) {
  Stepper stepper;
  int ran = 0;
  TaskScope scope(stepper);
  scope.Post([&] {
    ++ran;
    scope.Close();
  });
  scope.Post([&] { ++ran; });
  stepper.RunUntilIdle();
  EXPECT_EQ(ran, 1);
}

}  // namespace
}  // namespace coppice::kube
