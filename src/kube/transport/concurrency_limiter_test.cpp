#include "kube/transport/concurrency_limiter.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace coppice::kube {
namespace {

using Slot = ConcurrencyLimiter::Slot;
using Outcome = ConcurrencyLimiter::Outcome;

// One full window of requests, all with the same outcome.
void RunWindow(ConcurrencyLimiter& limiter, Outcome outcome) {
  std::vector<std::unique_ptr<Slot>> slots;
  for (int i = 0; i < static_cast<int>(limiter.limit()); ++i) {
    slots.push_back(std::make_unique<Slot>(limiter));
    slots.back()->set_outcome(outcome);
  }
}

TEST(ConcurrencyLimiterTest, GrowsWhileAllGoesWell) {
  ConcurrencyLimiter limiter({.initial = 4, .maximum = 6});
  for (int i = 0; i < 50; ++i) RunWindow(limiter, Outcome::kOk);
  EXPECT_EQ(limiter.limit(), 6);
}

TEST(ConcurrencyLimiterTest, DoesNotGrowWhenUnused) {
  ConcurrencyLimiter limiter({.initial = 10});
  for (int i = 0; i < 100; ++i) Slot slot(limiter);
  EXPECT_EQ(limiter.limit(), 10);
}

TEST(ConcurrencyLimiterTest, HalvesOncePerRoundOfRefusals) {
  ConcurrencyLimiter limiter({.initial = 16});
  RunWindow(limiter, Outcome::kThrottled);
  EXPECT_EQ(limiter.limit(), 8);
  RunWindow(limiter, Outcome::kThrottled);
  EXPECT_EQ(limiter.limit(), 4);
  for (int i = 0; i < 10; ++i) RunWindow(limiter, Outcome::kThrottled);
  EXPECT_EQ(limiter.limit(), 1);
}

TEST(ConcurrencyLimiterTest, NeverExceedsTheLimit) {
  ConcurrencyLimiter limiter({.initial = 3, .maximum = 3});
  std::atomic<int> inside = 0, most = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        Slot slot(limiter);
        const int now = ++inside;
        for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
        }
        --inside;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(most, 3);
  EXPECT_EQ(limiter.in_flight(), 0);
}

}  // namespace
}  // namespace coppice::kube
