#include "kube/transport/request_rate.h"

#include <gtest/gtest.h>

namespace coppice::kube {
namespace {

using namespace std::chrono_literals;

TEST(RequestRate, LetsASecondsWorthPassThenSpacesRequestsOut) {
  base::VirtualClock clock;
  RequestRate rate(2);
  EXPECT_EQ(rate.Reserve(clock.Elapsed()), 0ms);
  EXPECT_EQ(rate.Reserve(clock.Elapsed()), 0ms);
  EXPECT_EQ(rate.Reserve(clock.Elapsed()), 500ms);
  EXPECT_EQ(rate.Reserve(clock.Elapsed()), 1000ms) << "those who wait do not overtake each other";
  clock.Advance(1s);
  EXPECT_EQ(rate.Reserve(clock.Elapsed()), 500ms);
  clock.Advance(1min);
  EXPECT_EQ(rate.Reserve(clock.Elapsed()), 0ms);
  EXPECT_EQ(rate.Reserve(clock.Elapsed()), 0ms);
  EXPECT_EQ(rate.Reserve(clock.Elapsed()), 500ms) << "rest is saved up for one second only";
}

TEST(RequestRate, WhoDoesNotWaitIsTurnedAway) {
  base::VirtualClock clock;
  RequestRate rate(2);
  EXPECT_TRUE(rate.Take(clock.Elapsed()));
  EXPECT_TRUE(rate.Take(clock.Elapsed()));
  EXPECT_FALSE(rate.Take(clock.Elapsed()));
  EXPECT_FALSE(rate.Take(clock.Elapsed())) << "and costs the next one nothing";
  clock.Advance(500ms);
  EXPECT_TRUE(rate.Take(clock.Elapsed()));
}

TEST(RequestRate, BelowOneASecondStillSends) {
  base::VirtualClock clock;
  RequestRate rate(0.5);
  EXPECT_EQ(rate.Reserve(clock.Elapsed()), 0ms);
  EXPECT_EQ(rate.Reserve(clock.Elapsed()), 2000ms);
}

TEST(RequestRate, ZeroIsNoCap) {
  base::VirtualClock clock;
  RequestRate rate(0);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(rate.Reserve(clock.Elapsed()), 0ms);
}

}  // namespace
}  // namespace coppice::kube
