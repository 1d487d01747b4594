#include "operator/runtime/parallel.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

namespace coppice::operators {
namespace {

// Waking a helper costs about as much as a request within the process.
constexpr base::Duration kWorthHelp = std::chrono::microseconds(300);

// Numbers that are handed out one by one, and who works on them. Helpers that come late still hold
// it, but find no number and touch nothing else.
class Numbers : public std::enable_shared_from_this<Numbers> {
 public:
  Numbers(const kube::Runtime& runtime, kube::Priority priority, size_t count,
          const std::function<void(size_t)>& work)
      : executor_(runtime.executor),
        priorities_(runtime.priorities),
        priority_(priority),
        count_(count),
        work_(work) {}

  void WorkAndAwait() {
    std::unique_lock lock(mutex_);
    for (bool slow = false; next_ < count_;) {
      if (slow) RecruitLocked();
      const base::Instant start = executor_.Elapsed();
      WorkOnNext(lock);
      slow |= executor_.Elapsed() - start >= kWorthHelp;
    }
    done_.wait(lock, [this] { return busy_ == 0; });
  }

 private:
  void RecruitLocked() {
    if (!MayHelp()) return;
    for (const size_t wanted = std::min(kAtATime - 1, count_ - next_ - 1); helpers_ < wanted;) {
      ++helpers_;
      executor_.Post([self = shared_from_this()] { self->Help(); });
    }
  }

  void Help() {
    std::unique_lock lock(mutex_);
    while (next_ < count_ && MayHelp()) WorkOnNext(lock);
    --helpers_;
    if (busy_ == 0) done_.notify_all();
  }

  void WorkOnNext(std::unique_lock<std::mutex>& lock) {
    const size_t mine = next_++;
    ++busy_;
    lock.unlock();
    work_(mine);
    lock.lock();
    --busy_;
  }

  bool MayHelp() const { return !priorities_.AnyHigherThan(priority_); }

  kube::Executor& executor_;
  const kube::PriorityTracker& priorities_;  // Looked at only while there are numbers left.
  const kube::Priority priority_;
  const size_t count_;
  // The caller's: called only while it waits for a number that was handed out.
  const std::function<void(size_t)>& work_;
  std::mutex mutex_;  // Guards all below.
  std::condition_variable done_;
  size_t next_ = 0;
  size_t busy_ = 0;
  size_t helpers_ = 0;
};

}  // namespace

void InParallel(const kube::Runtime& runtime, kube::Priority priority, size_t count,
                const std::function<void(size_t)>& work) {
  std::make_shared<Numbers>(runtime, priority, count, work)->WorkAndAwait();
}

StepOutcome MergeInParallel(const kube::Runtime& runtime, kube::Priority priority, size_t count,
                            const std::function<StepOutcome(size_t)>& step) {
  std::vector<StepOutcome> said(count, StepOutcome::Done());
  InParallel(runtime, priority, count, [&](size_t i) { said[i] = step(i); });
  StepOutcome outcome = StepOutcome::Done();
  for (const StepOutcome& one : said) outcome.Merge(one);
  return outcome;
}

StepOutcome MergeUntilFailure(const kube::Runtime& runtime, kube::Priority priority, size_t count,
                              const std::function<StepOutcome(size_t)>& step) {
  std::atomic<bool> failed = false;
  return MergeInParallel(runtime, priority, count, [&](size_t i) {
    if (failed) return StepOutcome::Done();
    StepOutcome outcome = step(i);
    if (outcome.kind() == StepOutcome::Kind::kFailed) failed = true;
    return outcome;
  });
}

}  // namespace coppice::operators
