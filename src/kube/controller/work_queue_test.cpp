#include "kube/controller/work_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>

#include "kube/executor/stepper.h"
#include "kube/executor/thread_executor.h"

namespace coppice::kube {
namespace {

using namespace std::chrono_literals;
using Key = WorkQueue::Key;

const Key kA{"ns", "a"};
const Key kB{"ns", "b"};
const Key kC{"ns", "c"};

struct WorkQueueTest : testing::Test {
  Stepper stepper;
  std::unique_ptr<Metrics> metrics = Metrics::Make();
  int signals = 0;
  WorkQueue queue{stepper, {.name = "test", .metrics = metrics.get()}, [this] { ++signals; }};
};

TEST_F(WorkQueueTest, HoldsAKeyOnceAndKeepsOrder) {
  queue.Add(kA);
  queue.Add(kB);
  queue.Add(kA);
  EXPECT_EQ(signals, 2);
  EXPECT_EQ(queue.ready(), 2u);
  EXPECT_EQ(queue.Take(), kA);
  EXPECT_EQ(queue.Take(), kB);
  EXPECT_EQ(queue.Take(), std::nullopt);
}

TEST_F(WorkQueueTest, KeyAddedDuringWorkComesBackOnceAfterIt) {
  queue.Add(kA);
  EXPECT_EQ(queue.Take(), kA);
  queue.Add(kA);
  queue.Add(kA);
  EXPECT_EQ(queue.Take(), std::nullopt);
  queue.Done(kA);
  EXPECT_EQ(queue.Take(), kA);
  queue.Done(kA);
  EXPECT_EQ(queue.Take(), std::nullopt);
}

TEST_F(WorkQueueTest, CountsUrgentKeysThatWait) {
  PriorityTracker priorities;
  WorkQueue counted{stepper, {.name = "counted", .priorities = &priorities}, [] {}};
  counted.Add(kA);
  EXPECT_FALSE(priorities.AnyUrgent());
  counted.Add(kB, Priority::kHigh);
  counted.Add(kA, Priority::kHigh);
  counted.Add(kA, Priority::kHighest);
  EXPECT_TRUE(priorities.AnyHigherThan(Priority::kHigh));
  EXPECT_EQ(counted.Take(), kA);
  EXPECT_FALSE(priorities.AnyHigherThan(Priority::kHigh));
  EXPECT_TRUE(priorities.AnyUrgent());
  counted.Add(kA, Priority::kHighest);  // Waits until it is handed back.
  EXPECT_FALSE(priorities.AnyHigherThan(Priority::kHigh));
  counted.Done(kA);
  EXPECT_TRUE(priorities.AnyHigherThan(Priority::kHigh));
  counted.Close();
  EXPECT_FALSE(priorities.AnyUrgent());
}

TEST_F(WorkQueueTest, DescribesItsFront) {
  EXPECT_EQ(queue.front().ready, 0u);
  queue.Add(kA);
  queue.Add(kB);
  EXPECT_EQ(queue.front().ready, 2u);
  EXPECT_EQ(queue.front().priority, Priority::kNormal);
  EXPECT_FALSE(queue.front().mixed);
  queue.Add(kB, Priority::kHigh);
  EXPECT_EQ(queue.front().priority, Priority::kHigh);
  EXPECT_TRUE(queue.front().mixed);
  queue.Add(kB, Priority::kHighest);
  EXPECT_EQ(queue.front().priority, Priority::kHighest);
}

TEST_F(WorkQueueTest, GivesOutTheOldestOfLowerPriority) {
  const Key last{"ns", "d"};
  queue.Add(kA, Priority::kHighest);
  EXPECT_EQ(queue.TakeLowerPriority(), std::nullopt);
  queue.Add(kB);
  queue.Add(kC, Priority::kHigh);
  queue.Add(last);
  EXPECT_EQ(queue.TakeLowerPriority(), kB);
  EXPECT_EQ(queue.TakeLowerPriority(), kC);
  EXPECT_EQ(queue.Take(), kA);
  EXPECT_EQ(queue.TakeLowerPriority(), std::nullopt);
  EXPECT_EQ(queue.Take(), last);
}

TEST_F(WorkQueueTest, HigherPrioritiesComeFirstAndRaiseWaitingKeys) {
  queue.Add(kA);
  queue.Add(kB, Priority::kHigh);
  queue.Add(kC, Priority::kHigh);
  queue.Add(kA, Priority::kHighest);
  EXPECT_EQ(queue.Take(), kA);
  EXPECT_EQ(queue.Take(), kB);
  EXPECT_EQ(queue.Take(), kC);
}

TEST_F(WorkQueueTest, DelayedKeysComeInTimeAndTheEarlierTimeWins) {
  queue.AddAfter(kA, 10s);
  queue.AddAfter(kA, 2s);
  queue.AddAfter(kA, 20s);
  queue.AddAfter(kB, 1s);
  stepper.RunFor(1s);
  EXPECT_EQ(queue.Take(), kB);
  EXPECT_EQ(queue.Take(), std::nullopt);
  stepper.RunFor(1s);
  EXPECT_EQ(queue.Take(), kA);
  queue.Done(kA);
  stepper.RunFor(1min);
  EXPECT_EQ(queue.Take(), std::nullopt);
  EXPECT_EQ(queue.delayed(), 0u);
}

TEST_F(WorkQueueTest, BackoffDoublesUntilForgotten) {
  const base::Time start = stepper.Now();
  std::vector<base::Duration> delays;
  for (int i = 0; i < 4; ++i) {
    const base::Time before = stepper.Now();
    queue.AddRateLimited(kA);
    stepper.RunUntil([&] { return queue.ready() > 0; }, 1h);
    delays.push_back(stepper.Now() - before);
    queue.Take();
    queue.Done(kA);
  }
  EXPECT_THAT(delays, testing::ElementsAre(5ms, 10ms, 20ms, 40ms));
  EXPECT_EQ(queue.Failures(kA), 4);
  queue.Forget(kA);
  EXPECT_EQ(queue.Failures(kA), 0);
  EXPECT_EQ(stepper.Now() - start, 75ms);
}

// As KAI's pod-grouper, podgroup-controller and binder retry.
TEST(Backoff, FromOneSecondToAMinuteWithOtherKeysUnaffected) {
  Stepper stepper;
  std::unique_ptr<Metrics> metrics = Metrics::Make();
  WorkQueue queue{stepper, {.name = "test", .backoff = {1s, 60s}, .metrics = metrics.get()}, [] {}};
  std::vector<base::Duration> delays;
  for (int i = 0; i < 8; ++i) {
    const base::Time before = stepper.Now();
    queue.AddRateLimited(kA);
    queue.Add(kB);
    EXPECT_EQ(queue.Take(), kB);
    queue.Done(kB);
    stepper.RunUntil([&] { return queue.ready() > 0; }, 1h);
    delays.push_back(stepper.Now() - before);
    EXPECT_EQ(queue.Take(), kA);
    queue.Done(kA);
  }
  EXPECT_THAT(delays, testing::ElementsAre(1s, 2s, 4s, 8s, 16s, 32s, 60s, 60s));
}

TEST(Backoff, StopsGrowingAtTheMost) {
  const Backoff backoff;
  EXPECT_EQ(backoff.After(0), 5ms);
  EXPECT_EQ(backoff.After(17), 655'360ms);
  EXPECT_EQ(backoff.After(18), 1000s);
  EXPECT_EQ(backoff.After(1000), 1000s);
}

TEST_F(WorkQueueTest, MetricsTellDepthAddsAndRetries) {
  queue.Add(kA);
  queue.Add(kB);
  queue.Take();
  queue.AddRateLimited(kC);
  const std::string text = metrics->Text();
  const std::string labels = R"({controller="test",name="test"})";
  EXPECT_THAT(text, testing::HasSubstr("workqueue_depth" + labels + " 1"));
  EXPECT_THAT(text, testing::HasSubstr("workqueue_adds_total" + labels + " 2"));
  EXPECT_THAT(text, testing::HasSubstr("workqueue_retries_total" + labels + " 1"));
  EXPECT_THAT(text, testing::HasSubstr("workqueue_queue_duration_seconds_count" + labels + " 1"));
}

TEST_F(WorkQueueTest, NothingComesOutOfAClosedQueue) {
  queue.Add(kA);
  queue.AddAfter(kB, 1s);
  queue.Close();
  queue.Add(kC);
  stepper.RunFor(2s);
  EXPECT_EQ(queue.Take(), std::nullopt);
  EXPECT_EQ(queue.ready(), 0u);
}

TEST(WorkQueueThreads, NoKeyIsWorkedOnTwiceAtATime) {
  std::array<std::atomic<int>, 8> inside{};
  std::atomic<int> overlaps = 0;
  std::atomic<int> done = 0;
  ThreadExecutor executor({.max_threads = 4});
  WorkQueue queue(executor, {.name = "test"}, [] {});
  for (int worker = 0; worker < 4; ++worker) {
    executor.Post([&] {
      for (int i = 0; i < 2000; ++i) {
        queue.Add({"", std::to_string(i % 8)});
        const auto key = queue.Take();
        if (!key) continue;
        auto& mine = inside[static_cast<size_t>(std::stoi(key->name))];
        if (mine.fetch_add(1) != 0) ++overlaps;
        ++done;
        --mine;
        queue.Done(*key);
      }
    });
  }
  executor.Stop();
  EXPECT_EQ(overlaps, 0);
  EXPECT_GT(done, 0);
}

}  // namespace
}  // namespace coppice::kube
