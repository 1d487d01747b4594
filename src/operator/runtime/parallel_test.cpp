#include "operator/runtime/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <numeric>

#include "kube/executor/priority.h"
#include "kube/executor/stepper.h"
#include "kube/executor/thread_executor.h"
#include "server/api_server.h"

namespace coppice::operators {
namespace {

// What a manager provides to its controllers.
template <typename Executor>
struct Given {
  Executor executor;
  std::unique_ptr<server::ApiServer> server =
      *server::ApiServer::Make({.clock = &executor.clock(), .seed = 7});
  std::unique_ptr<kube::Client> client = server->NewClient(executor);
  std::unique_ptr<kube::Manager> manager = kube::Manager::Make(*client, executor);
  kube::Runtime runtime = manager->runtime();
};
using Threads = Given<kube::ThreadExecutor>;

// About as long as a network round trip.
void TakeTime(const kube::Runtime& runtime) {
  const base::Time start = runtime.executor.Now();
  while (runtime.executor.Now() - start < std::chrono::milliseconds(1)) {
  }
}

TEST(InParallel, CallsEachNumberOnce) {
  Threads given;
  for (const size_t count : {size_t{0}, size_t{1}, size_t{5}, size_t{1000}}) {
    std::vector<std::atomic<int>> calls(count);
    InParallel(given.runtime, kube::Priority::kHighest, count, [&](size_t i) {
      if (i == 0) TakeTime(given.runtime);
      ++calls[i];
    });
    for (const auto& times : calls) EXPECT_EQ(times, 1);
  }
}

// Each but the first waits for all others, which need helpers.
TEST(InParallel, WorksOnSeveralAtOnce) {
  Threads given;
  std::mutex mutex;
  std::condition_variable changed;
  size_t present = 0;
  InParallel(given.runtime, kube::Priority::kHighest, 1 + kAtATime, [&](size_t i) {
    if (i == 0) return TakeTime(given.runtime);
    std::unique_lock lock(mutex);
    ++present;
    changed.notify_all();
    changed.wait(lock, [&] { return present == kAtATime; });
  });
  EXPECT_EQ(present, kAtATime);
}

TEST(InParallel, NeverWorksOnMoreThanAllowed) {
  Threads given;
  std::atomic<size_t> present = 0;
  std::atomic<size_t> most = 0;
  InParallel(given.runtime, kube::Priority::kHighest, 500, [&](size_t i) {
    if (i == 0) TakeTime(given.runtime);
    const size_t now = ++present;
    for (size_t seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
    }
    --present;
  });
  EXPECT_LE(most, kAtATime);
}

// Two concurrent calls would meet in here.
TEST(InParallel, PatientWorkGoesOneAtATimeWhileAnythingIsUrgent) {
  Threads given;
  const kube::PriorityScope urgent(given.runtime.priorities, kube::Priority::kHighest);
  std::atomic<int> present = 0;
  std::atomic<int> done = 0;
  InParallel(given.runtime, kube::Priority::kNormal, 50, [&](size_t i) {
    if (i == 0) TakeTime(given.runtime);
    EXPECT_EQ(++present, 1);
    --present;
    ++done;
  });
  EXPECT_EQ(done, 50);
}

// Each but the first waits for all others, which run once nothing is urgent any more.
TEST(InParallel, PatientWorkFindsHelpersLater) {
  Threads given;
  auto urgent =
      std::make_unique<kube::PriorityScope>(given.runtime.priorities, kube::Priority::kHighest);
  std::mutex mutex;
  std::condition_variable changed;
  size_t present = 0;
  InParallel(given.runtime, kube::Priority::kNormal, 1 + kAtATime, [&](size_t i) {
    if (i == 0) {
      TakeTime(given.runtime);
      return urgent.reset();
    }
    std::unique_lock lock(mutex);
    ++present;
    changed.notify_all();
    changed.wait(lock, [&] { return present == kAtATime; });
  });
  EXPECT_EQ(present, kAtATime);
}

// Helpers that run after everything is done find nothing to do.
TEST(InParallel, OnOneThreadTheCallerDoesItAllInOrder) {
  Given<kube::Stepper> given;
  kube::Stepper& stepper = given.executor;
  std::vector<size_t> seen;
  stepper.Post([&] {
    InParallel(given.runtime, kube::Priority::kHighest, 20, [&](size_t i) { seen.push_back(i); });
  });
  EXPECT_TRUE(stepper.RunUntilIdle());
  std::vector<size_t> wanted(20);
  std::iota(wanted.begin(), wanted.end(), 0);
  EXPECT_EQ(seen, wanted);
}

TEST(MergeInParallel, KeepsErrorsInOrder) {
  Threads given;
  const StepOutcome outcome =
      MergeInParallel(given.runtime, kube::Priority::kHighest, 30, [](size_t i) {
        if (i % 10 != 3) return StepOutcome::Done();
        return StepOutcome::Failed("ERR_" + std::to_string(i), "Sync", base::NotFound("gone"));
      });
  ASSERT_EQ(outcome.kind(), StepOutcome::Kind::kFailed);
  std::string codes;
  for (const StepError& error : outcome.errors()) codes += error.code + " ";
  EXPECT_EQ(codes, "ERR_3 ERR_13 ERR_23 ");
}

TEST(MergeUntilFailure, BeginsNothingAfterAFailure) {
  Given<kube::Stepper> given;
  int begun = 0;
  const StepOutcome outcome =
      MergeUntilFailure(given.runtime, kube::Priority::kHighest, 30, [&](size_t i) {
        ++begun;
        if (i < 3) return StepOutcome::Done();
        return StepOutcome::Failed("ERR", "Sync", base::NotFound("gone"));
      });
  EXPECT_EQ(begun, 4);
  EXPECT_EQ(outcome.errors().size(), 1u);
}

}  // namespace
}  // namespace coppice::operators
