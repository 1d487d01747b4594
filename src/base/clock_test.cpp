#include "base/clock.h"

#include <gtest/gtest.h>

namespace coppice::base {
namespace {

using namespace std::chrono_literals;

TEST(Rfc3339, RoundTripsAndAcceptsOffsetsAndFractions) {
  const Time time = *ParseRfc3339("2026-02-03T04:05:06Z");
  EXPECT_EQ(FormatRfc3339(time), "2026-02-03T04:05:06Z");
  EXPECT_EQ(*ParseRfc3339("2026-02-03T05:05:06+01:00"), time);
  EXPECT_EQ(*ParseRfc3339("2026-02-03T04:05:06.25Z"), time + 250ms);
  EXPECT_EQ(FormatRfc3339Micro(time + 1500us), "2026-02-03T04:05:06.001500Z");
}

TEST(Rfc3339, RefusesWhatIsNotATime) {
  for (const char* text :
       {"", "2026", "2026-13-01T00:00:00Z", "2026-02-30T00:00:00Z", "2026-02-03T04:05:06",
        "2026-02-03T04:05:06.Z", "2026-02-03T04:05:06Zx"}) {
    EXPECT_FALSE(ParseRfc3339(text).ok()) << text;
  }
}

TEST(Durations, FollowGo) {
  EXPECT_EQ(*ParseDuration("1h30m"), 90min);
  EXPECT_EQ(*ParseDuration("-1.5s"), -1500ms);
  EXPECT_EQ(*ParseDuration("0"), 0s);
  EXPECT_EQ(*ParseDuration("2d"), 48h);
  for (const char* text : {"", "5", "s", ".s", "1x", "1.2.3s"}) {
    EXPECT_FALSE(ParseDuration(text).ok()) << text;
  }
  EXPECT_EQ(FormatDuration(90min), "1h30m0s");
  EXPECT_EQ(FormatDuration(1500ms), "1.5s");
  EXPECT_EQ(FormatDuration(100ms), "100ms");
  EXPECT_EQ(FormatDuration(0s), "0s");
}

TEST(VirtualClock, MovesOnlyForward) {
  VirtualClock clock;
  const Time start = clock.Now();
  clock.Advance(5s);
  clock.AdvanceTo(start);
  EXPECT_EQ(clock.Now(), start + 5s);
}

TEST(Rfc3339, TimesOutOfReachCountAsTheNearest) {
  const auto zero = ParseRfc3339("0001-01-01T00:00:00Z");
  const auto late = ParseRfc3339("9999-12-31T23:59:59Z");
  ASSERT_TRUE(zero);
  ASSERT_TRUE(late);
  EXPECT_LT(*zero, *ParseRfc3339("1900-01-01T00:00:00Z"));
  EXPECT_GT(*late, *ParseRfc3339("2200-01-01T00:00:00Z"));
}

}  // namespace
}  // namespace coppice::base
