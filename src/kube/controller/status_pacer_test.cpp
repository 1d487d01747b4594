#include "kube/controller/status_pacer.h"

#include <gtest/gtest.h>

namespace coppice::kube {
namespace {

using std::chrono::milliseconds;

const api::ObjectKey kPacedKey{"default", "a"};
base::Instant At(int64_t ms) { return base::Instant(milliseconds(ms)); }
json::Value Ready(int64_t count, const char* since = "t") {
  return json::Value::Object({{"ready", count}, {"lastTransitionTime", since}});
}

TEST(StatusPacer, TellsAStatusOnceItHasBeenQuiet) {
  StatusPacer pacer({});
  EXPECT_EQ(pacer.Rest(kPacedKey, Ready(1), At(1000)), milliseconds(100));
  EXPECT_EQ(pacer.Rest(kPacedKey, Ready(1, "later"), At(1060)), milliseconds(40));
  EXPECT_EQ(pacer.Rest(kPacedKey, Ready(1), At(1100)), milliseconds(0));
}

TEST(StatusPacer, AChangeStartsTheQuietPeriodAgainUpToALimit) {
  StatusPacer pacer({});
  for (int64_t ms = 0; ms < 400; ms += 50) {
    EXPECT_EQ(pacer.Rest(kPacedKey, Ready(ms), At(ms)), milliseconds(100)) << ms;
  }
  EXPECT_EQ(pacer.Rest(kPacedKey, Ready(450), At(450)), milliseconds(50));
  EXPECT_EQ(pacer.Rest(kPacedKey, Ready(500), At(500)), milliseconds(0));
}

TEST(StatusPacer, LetsUrgentWorkPassButNotForLong) {
  PriorityTracker priorities;
  StatusPacer pacer({.priorities = &priorities});
  {
    const PriorityScope urgent(priorities, Priority::kHigh);
    EXPECT_EQ(pacer.Rest(kPacedKey, Ready(1), At(0)), milliseconds(1000));
    EXPECT_EQ(pacer.Rest(kPacedKey, Ready(2), At(9000)), milliseconds(1000));
    EXPECT_EQ(pacer.Rest(kPacedKey, Ready(2), At(9500)), milliseconds(500));
    EXPECT_EQ(pacer.Rest(kPacedKey, Ready(3), At(10000)), milliseconds(0));
  }
  pacer.Forget(kPacedKey);
  EXPECT_EQ(pacer.Rest(kPacedKey, Ready(1), At(20000)), milliseconds(100));
}

TEST(StatusPacer, ForgottenObjectsStartOver) {
  StatusPacer pacer({});
  pacer.Rest(kPacedKey, Ready(1), At(0));
  pacer.Rest({"default", "b"}, Ready(1), At(0));
  EXPECT_EQ(pacer.size(), 2U);
  pacer.Forget(kPacedKey);
  EXPECT_EQ(pacer.size(), 1U);
  EXPECT_EQ(pacer.Rest(kPacedKey, Ready(1), At(700)), milliseconds(100));
}

}  // namespace
}  // namespace coppice::kube
