#include "kube/controller/debouncer.h"

#include <gtest/gtest.h>

namespace coppice::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const api::ObjectKey kObject{"default", "a"};
base::Instant At(int64_t ms) { return base::Instant(milliseconds(ms)); }
json::Value Ready(int64_t count, const char* since = "t") {
  return json::Value::Object({{"ready", count}, {"lastTransitionTime", since}});
}

// How long a write is deferred that is asked about whenever the debouncer says.
base::Duration Deferred(Debouncer& debouncer, base::Instant start) {
  base::Instant now = start;
  base::Duration delay = debouncer.Delay(kObject, now);
  for (; delay > base::Duration::zero(); delay = debouncer.Delay(kObject, now)) now += delay;
  return now - start;
}

TEST(Debouncer, AWriteIsDueWhenItsContentHasBeenQuiet) {
  Debouncer debouncer({});
  EXPECT_EQ(debouncer.Delay(kObject, Ready(1), At(1000)), milliseconds(100));
  EXPECT_EQ(debouncer.Delay(kObject, Ready(1, "later"), At(1060)), milliseconds(40));
  EXPECT_EQ(debouncer.Delay(kObject, Ready(1), At(1100)), milliseconds(0));
}

TEST(Debouncer, AChangeStartsTheQuietPeriodAgainUpToALimit) {
  Debouncer debouncer({});
  for (int64_t ms = 0; ms < 400; ms += 50) {
    EXPECT_EQ(debouncer.Delay(kObject, Ready(ms), At(ms)), milliseconds(100)) << ms;
  }
  EXPECT_EQ(debouncer.Delay(kObject, Ready(450), At(450)), milliseconds(50));
  EXPECT_EQ(debouncer.Delay(kObject, Ready(500), At(500)), milliseconds(0));
}

TEST(Debouncer, ChangesWithoutContentDoNotStartTheQuietPeriodAgain) {
  Debouncer debouncer({});
  EXPECT_EQ(debouncer.Delay(kObject, At(0)), milliseconds(100));
  EXPECT_EQ(debouncer.Delay(kObject, At(60)), milliseconds(40));
}

TEST(Debouncer, ADueWriteEndsTheDeferral) {
  Debouncer debouncer({});
  EXPECT_FALSE(debouncer.IsPending(kObject));
  debouncer.Delay(kObject, At(0));
  EXPECT_TRUE(debouncer.IsPending(kObject));
  EXPECT_EQ(debouncer.Delay(kObject, At(100)), milliseconds(0));
  EXPECT_FALSE(debouncer.IsPending(kObject));
  EXPECT_EQ(debouncer.Delay(kObject, At(100)), milliseconds(100));
}

TEST(Debouncer, ForgottenObjectsStartOver) {
  Debouncer debouncer({});
  debouncer.Delay(kObject, Ready(1), At(0));
  debouncer.Delay({"default", "b"}, Ready(1), At(0));
  EXPECT_EQ(debouncer.size(), 2U);
  debouncer.Forget(kObject);
  EXPECT_EQ(debouncer.size(), 1U);
  EXPECT_EQ(debouncer.Delay(kObject, Ready(1), At(700)), milliseconds(100));
}

TEST(Debouncer, YieldsToHigherPrioritiesForABoundedTime) {
  PriorityTracker priorities;
  Debouncer debouncer({.priorities = &priorities});
  {
    const PriorityScope urgent(priorities, Priority::kHigh);
    EXPECT_EQ(debouncer.Delay(kObject, Ready(1), At(0)), seconds(1));
    EXPECT_EQ(debouncer.Delay(kObject, Ready(2), At(9000)), seconds(1));
    EXPECT_EQ(debouncer.Delay(kObject, Ready(2), At(9500)), milliseconds(500));
    EXPECT_EQ(debouncer.Delay(kObject, Ready(2), At(10000)), milliseconds(0));
  }
  EXPECT_EQ(debouncer.Delay(kObject, Ready(1), At(20000)), milliseconds(100));
}

TEST(Debouncer, YieldsOnlyToHigherPriorities) {
  PriorityTracker priorities;
  Debouncer debouncer({.priorities = &priorities, .priority = Priority::kHigh});
  const PriorityScope equal(priorities, Priority::kHigh);
  EXPECT_EQ(debouncer.Delay(kObject, At(0)), milliseconds(100));
  const PriorityScope higher(priorities, Priority::kHighest);
  EXPECT_EQ(debouncer.Delay(kObject, At(10)), seconds(1));
}

TEST(Debouncer, AnInstantWithoutUrgentWorkIsNotYetCalm) {
  PriorityTracker priorities;
  Debouncer debouncer({.priorities = &priorities, .recheck = milliseconds(100)});
  EXPECT_EQ(Deferred(debouncer, At(0)), milliseconds(100));
  priorities.Add(Priority::kHighest, 1);
  EXPECT_EQ(Deferred(debouncer, At(1000)), seconds(10));
  EXPECT_EQ(debouncer.Delay(kObject, At(20000)), milliseconds(100));
  priorities.Add(Priority::kHighest, -1);
  EXPECT_EQ(Deferred(debouncer, At(20100)), milliseconds(100));
}

TEST(Debouncer, ManyObjectsAskLessOften) {
  PriorityTracker priorities;
  Debouncer debouncer({.priorities = &priorities, .recheck = milliseconds(100)});
  const PriorityScope urgent(priorities, Priority::kHigh);
  for (int i = 1; i < 1500; ++i) debouncer.Delay({"default", std::to_string(i)}, At(0));
  EXPECT_EQ(debouncer.Delay(kObject, At(0)), milliseconds(1500));
  for (int i = 1500; i < 5000; ++i) debouncer.Delay({"default", std::to_string(i)}, At(0));
  EXPECT_EQ(debouncer.Delay(kObject, At(0)), seconds(2));
}

TEST(Debouncer, ASlowServerIsWrittenToLessOften) {
  Debouncer debouncer({});
  debouncer.Wrote(milliseconds(50));
  EXPECT_EQ(Deferred(debouncer, At(0)), seconds(1));
  debouncer.Wrote(seconds(5));
  EXPECT_EQ(Deferred(debouncer, At(5000)), seconds(2));
  debouncer.Wrote(milliseconds(1));
  EXPECT_EQ(Deferred(debouncer, At(10000)), milliseconds(100));
}

}  // namespace
}  // namespace coppice::kube
