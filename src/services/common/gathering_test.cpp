#include "services/common/gathering.h"

#include <gtest/gtest.h>

namespace coppice::services {
namespace {

TEST(GatheringTest, ASlowServerIsToldLessOften) {
  using std::chrono::milliseconds;
  const api::ObjectKey key{"default", "g"};
  Gathering gathering;
  base::Time now{};
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

}  // namespace
}  // namespace coppice::services
