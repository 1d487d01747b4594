#include "operator/runtime/parallel.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

namespace coppice::operators {
namespace {

// Waking a helper costs about as much as an in-process request.
constexpr base::Duration kWorthHelp = std::chrono::microseconds(300);

// Hands out indices one by one and tracks the workers. Late helpers still hold a reference, but
// find no index and touch nothing else.
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
  const kube::PriorityTracker& priorities_;  // Only accessed while indices remain.
  const kube::Priority priority_;
  const size_t count_;
  // Owned by the caller, and only called while the caller waits for an index that was handed out.
  const std::function<void(size_t)>& work_;
  std::mutex mutex_;  // Guards the members below.
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
