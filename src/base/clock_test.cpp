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

// The system's clocks, as somebody turns them.
Duration wall, boot;

Duration ReadTurned(clockid_t clock) {
  EXPECT_TRUE(clock == CLOCK_REALTIME || clock == CLOCK_BOOTTIME);
  return clock == CLOCK_REALTIME ? wall : boot;
}

TEST(RealClock, TheTimeOfDayFollowsWhoeverSetsIt) {
  wall = 1000h, boot = 10s;
  const RealClock clock(&ReadTurned);
  const Time before = clock.Now();
  const Instant begun = clock.Elapsed();
  wall += 30 * 24h;
  EXPECT_EQ(clock.Now() - before, 30 * 24h);
  EXPECT_EQ(clock.Elapsed() - begun, 0s) << "no time has passed";
  wall -= 31 * 24h;
  EXPECT_EQ(clock.Now() - before, -24h);
  EXPECT_EQ(clock.Elapsed() - begun, 0s);
}

// CLOCK_MONOTONIC, which std::chrono::steady_clock reads, would have stood still.
TEST(RealClock, TimePassesWhileTheMachineIsSuspended) {
  wall = 1000h, boot = 10s;
  const RealClock clock(&ReadTurned);
  const Instant begun = clock.Elapsed();
  wall += 8h, boot += 8h;
  EXPECT_EQ(clock.Elapsed() - begun, 8h);
}

TEST(RealClock, ReadsTheSystemsClocks) {
  const RealClock clock;
  const auto wall_now = std::chrono::system_clock::now();
  EXPECT_LT(std::chrono::abs(clock.Now() - wall_now), 1h);
  const Instant begun = clock.Elapsed();
  EXPECT_LE(begun, clock.Elapsed());
  EXPECT_GT(begun - Instant(), 24h) << "what was never set is long ago, after a boot too";
}

TEST(VirtualClock, CanBeSetWithoutTimePassing) {
  VirtualClock clock;
  const Time start = clock.Now();
  const Instant begun = clock.Elapsed();
  clock.Set(start + 30 * 24h);
  clock.Advance(5s);
  EXPECT_EQ(clock.Now() - start, 30 * 24h + 5s);
  EXPECT_EQ(clock.Elapsed() - begun, 5s);
  clock.Set(start);
  clock.AdvanceTo(begun + 7s);
  EXPECT_EQ(clock.Now() - start, 2s);
  EXPECT_EQ(clock.Elapsed() - begun, 7s);
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
