#include "operator/common/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <numeric>

#include "kube/stepper.h"
#include "kube/thread_executor.h"

namespace coppice::operators {
namespace {

TEST(InParallel, CallsEachNumberOnce) {
  kube::ThreadExecutor executor;
  for (const size_t count : {size_t{0}, size_t{1}, size_t{5}, size_t{1000}}) {
    std::vector<std::atomic<int>> calls(count);
    InParallel(executor, count, [&](size_t i) { ++calls[i]; });
    for (const auto& times : calls) EXPECT_EQ(times, 1);
  }
}

// Each waits for all others, which only helpers can bring.
TEST(InParallel, WorksOnSeveralAtOnce) {
  kube::ThreadExecutor executor;
  std::mutex mutex;
  std::condition_variable changed;
  size_t present = 0;
  InParallel(executor, kAtATime, [&](size_t) {
    std::unique_lock lock(mutex);
    ++present;
    changed.notify_all();
    changed.wait(lock, [&] { return present == kAtATime; });
  });
  EXPECT_EQ(present, kAtATime);
}

TEST(InParallel, NeverWorksOnMoreThanAllowed) {
  kube::ThreadExecutor executor;
  std::atomic<size_t> present = 0;
  std::atomic<size_t> most = 0;
  InParallel(executor, 500, [&](size_t) {
    const size_t now = ++present;
    for (size_t seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
    }
    --present;
  });
  EXPECT_LE(most, kAtATime);
}

// Helpers that run after all is done find nothing to do.
TEST(InParallel, OnOneThreadTheCallerDoesItAllInOrder) {
  kube::Stepper stepper(7);
  std::vector<size_t> seen;
  stepper.Post([&] { InParallel(stepper, 20, [&](size_t i) { seen.push_back(i); }); });
  EXPECT_TRUE(stepper.RunUntilIdle());
  std::vector<size_t> wanted(20);
  std::iota(wanted.begin(), wanted.end(), 0);
  EXPECT_EQ(seen, wanted);
}

TEST(MergeInParallel, KeepsErrorsInOrder) {
  kube::ThreadExecutor executor;
  const Outcome outcome = MergeInParallel(executor, 30, [](size_t i) {
    if (i % 10 != 3) return Outcome::Done();
    return Outcome::Failed("ERR_" + std::to_string(i), "Sync", base::NotFound("gone"));
  });
  ASSERT_EQ(outcome.kind(), Outcome::Kind::kFailed);
  std::string codes;
  for (const StepError& error : outcome.errors()) codes += error.code + " ";
  EXPECT_EQ(codes, "ERR_3 ERR_13 ERR_23 ");
}

}  // namespace
}  // namespace coppice::operators
