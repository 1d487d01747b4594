#include "services/common/gathering.h"

#include <gtest/gtest.h>

namespace coppice::services {
namespace {

TEST(GatheringTest, ASlowServerIsToldLessOften) {
  using std::chrono::milliseconds;
  const api::ObjectKey key{"default", "g"};
  const kube::PriorityTracker priorities;
  Gathering gathering(priorities);
  base::Instant now{};
  const auto window = [&] {
    const base::Duration wait = gathering.Wait(key, now);
    now += wait;
    EXPECT_EQ(gathering.Wait(key, now), base::Duration::zero());
    return wait;
  };
  EXPECT_EQ(window(), milliseconds(100));
  gathering.Wrote(milliseconds(50));
  EXPECT_EQ(window(), milliseconds(1000));
  gathering.Wrote(std::chrono::seconds(5));
  EXPECT_EQ(window(), milliseconds(2000));
  gathering.Wrote(milliseconds(1));
  EXPECT_EQ(window(), milliseconds(100));
  // More changes do not put the turn off.
  EXPECT_EQ(gathering.Wait(key, now), milliseconds(100));
  EXPECT_EQ(gathering.Wait(key, now + milliseconds(60)), milliseconds(40));
}

TEST(GatheringTest, UrgentWorkPassesButNotForLong) {
  using std::chrono::milliseconds;
  const api::ObjectKey key{"default", "g"};
  kube::PriorityTracker priorities;
  Gathering gathering(priorities);
  base::Instant now{};
  const auto waited = [&] {
    const base::Instant begun = now;
    base::Duration wait = gathering.Wait(key, now);
    for (; wait > base::Duration::zero(); wait = gathering.Wait(key, now)) now += wait;
    return now - begun;
  };
  EXPECT_EQ(waited(), milliseconds(100));
  priorities.Add(kube::Priority::kHighest, 1);
  EXPECT_EQ(waited(), std::chrono::seconds(10));
  // An instant without urgent work is not yet calm.
  gathering.Wait(key, now);
  now += milliseconds(100);
  EXPECT_GT(gathering.Wait(key, now), base::Duration::zero());
  priorities.Add(kube::Priority::kHighest, -1);
  EXPECT_EQ(waited(), milliseconds(200));
}

}  // namespace
}  // namespace coppice::services
