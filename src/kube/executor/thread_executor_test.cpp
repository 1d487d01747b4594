#include "kube/executor/thread_executor.h"

#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <future>
#include <latch>

#include "kube/executor/strand.h"
#include "kube/executor/task_scope.h"

namespace coppice::kube {
namespace {

using namespace std::chrono_literals;

TEST(ThreadExecutor, StopRunsWhatWasPosted) {
  std::atomic<int> ran = 0;
  ThreadExecutor executor({.max_threads = 4});
  for (int i = 0; i < 1000; ++i) executor.Post([&] { ++ran; });
  executor.Stop();
  EXPECT_EQ(ran, 1000);
}

TEST(ThreadExecutor, GrowsForBlockedTasksUpToTheLimit) {
  ThreadExecutor executor({.max_threads = 3});
  std::promise<void> release;
  const std::shared_future<void> released = release.get_future().share();
  std::atomic<int> started = 0;
  std::promise<void> three;
  for (int i = 0; i < 10; ++i) {
    executor.Post([&] {
      if (++started == 3) three.set_value();
      released.wait();
    });
  }
  three.get_future().wait();
  EXPECT_EQ(executor.thread_count(), 3u);
  EXPECT_EQ(started, 3);
  release.set_value();
  executor.Stop();
  EXPECT_EQ(started, 10);
}

// Threads that rest since an earlier round wake up for tasks that need each other.
TEST(ThreadExecutor, RestingThreadsAllWakeForTasksThatWait) {
  std::deque<std::latch> all_run;  // Outlive the tasks.
  ThreadExecutor executor({.max_threads = 4});
  for (int round = 0; round < 200; ++round) {
    std::latch& now = all_run.emplace_back(5);
    for (int i = 0; i < 4; ++i) executor.Post([&now] { now.arrive_and_wait(); });
    now.arrive_and_wait();
  }
  EXPECT_EQ(executor.thread_count(), 4u);
}

TEST(ThreadExecutor, ATaskThatWaitsIsMadeUpForByAnotherThread) {
  ThreadExecutor executor({.max_threads = 4, .at_once = 1});
  std::promise<void> last;
  std::promise<void> ended;
  executor.Post([&] {
    last.get_future().wait();
    ended.set_value();
  });
  executor.Post([&] { executor.Post([&] { last.set_value(); }); });
  ended.get_future().wait();
  EXPECT_LE(executor.thread_count(), 3u);
}

TEST(ThreadExecutor, TasksThatNeedEachOtherAllRunHoweverFewRunAtOnce) {
  std::deque<std::latch> all_run;  // Outlive the tasks.
  ThreadExecutor executor({.max_threads = 4, .at_once = 1});
  for (int round = 0; round < 5; ++round) {
    std::latch& now = all_run.emplace_back(5);
    for (int i = 0; i < 4; ++i) executor.Post([&now] { now.arrive_and_wait(); });
    now.arrive_and_wait();
  }
  EXPECT_EQ(executor.thread_count(), 4u);
}

TEST(ThreadExecutor, StopRunsWhatWasPostedWhenFewRunAtOnce) {
  std::atomic<int> ran = 0;
  ThreadExecutor executor({.max_threads = 4, .at_once = 2});
  for (int i = 0; i < 1000; ++i) executor.Post([&] { ++ran; });
  executor.Stop();
  EXPECT_EQ(ran, 1000);
}

TEST(ThreadExecutor, TimersFireInOrderOfTheirTime) {
  ThreadExecutor executor({.max_threads = 1});
  std::promise<std::vector<int>> done;
  std::vector<int> seen;
  executor.PostAfter(20ms, [&] {
    seen.push_back(2);
    done.set_value(seen);
  });
  executor.PostAfter(1ms, [&] { seen.push_back(1); });
  EXPECT_EQ(done.get_future().get(), (std::vector<int>{1, 2}));
}

TEST(ThreadExecutor, CancelAndStopForgetTimers) {
  std::atomic<int> fired = 0;
  ThreadExecutor executor;
  const auto cancelled = executor.PostAfter(1h, [&] { ++fired; });
  executor.PostAfter(1h, [&] { ++fired; });
  EXPECT_TRUE(executor.Cancel(cancelled));
  EXPECT_FALSE(executor.Cancel(cancelled));
  executor.Stop();
  executor.Post([&] { ++fired; });
  EXPECT_EQ(fired, 0);
}

TEST(ThreadExecutor, StrandIsSerial) {
  int unguarded = 0;  // A data race here is what tsan would report.
  ThreadExecutor executor({.max_threads = 8});
  Strand strand(executor);
  for (int i = 0; i < 2000; ++i) strand.Post([&] { ++unguarded; });
  std::promise<void> done;
  strand.Post([&] { done.set_value(); });
  done.get_future().wait();
  EXPECT_EQ(unguarded, 2000);
}

TEST(ThreadExecutor, ScopeWaitsForTheTaskThatRuns) {
  ThreadExecutor executor;
  std::atomic<bool> finished = false;
  std::promise<void> started;
  std::promise<void> release;
  std::thread closer;
  {
    auto scope = std::make_unique<TaskScope>(executor);
    scope->Post([&] {
      started.set_value();
      release.get_future().wait();
      finished = true;
    });
    started.get_future().wait();
    closer = std::thread([&finished, scope = std::move(scope)]() mutable {
      scope.reset();
      EXPECT_TRUE(finished);
    });
  }
  release.set_value();
  closer.join();
}

}  // namespace
}  // namespace coppice::kube
