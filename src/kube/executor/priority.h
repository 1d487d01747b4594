#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <mutex>
#include <utility>

#include "base/clock.h"

namespace coppice::kube {

// Priority of work in a process: lower priorities wait for higher ones. Also the priority of a key
// in a work queue.
enum class Priority : int {
  kNormal = 0,   // Status, and other work that nothing waits for.
  kHigh = 1,     // Unblocks existing objects, e.g. scheduling pods.
  kHighest = 2,  // Creates objects.
};

// Counts the urgent work in progress in a process, which is all above kNormal: keys in its work
// queues, and work that components declare. Meanwhile each controller processes one key of lower
// priority at a time, and events and some status writes are deferred for a bounded time. So
// low-priority work continues and nothing starves. Thread-safe.
//
//   const PriorityScope creating(runtime.priorities, Priority::kHighest);
class PriorityTracker {
 public:
  // Nothing is deferred for longer on account of its priority.
  static constexpr base::Duration kLongestDeferral = std::chrono::seconds(10);

  // `on_relief` is called whenever the work of the highest priority in progress has ended.
  explicit PriorityTracker(std::function<void()> on_relief = [] {})
      : on_relief_(std::move(on_relief)) {}

  bool AnyUrgent() const { return AnyHigherThan(Priority::kNormal); }
  // Whether work of a higher priority is in progress.
  bool AnyHigherThan(Priority priority) const { return highest_ > static_cast<int>(priority); }
  // Whether work of kNormal that is pending since `since` should wait.
  bool ShouldDefer(base::Instant since, base::Instant now) const {
    return AnyUrgent() && now - since < kLongestDeferral;
  }
  void Add(Priority priority, int count) {
    std::lock_guard lock(mutex_);
    counts_[static_cast<size_t>(priority)] += count;
    highest_ = HighestLocked();
    notified_ = std::max(notified_, highest_.load());
  }
  // Call without locks held, after a negative Add.
  void NotifyRelief() {
    if (TakeRelief()) on_relief_();
  }

 private:
  int HighestLocked() const {
    int highest = static_cast<int>(counts_.size()) - 1;
    while (highest > 0 && counts_[static_cast<size_t>(highest)] <= 0) --highest;
    return highest;
  }
  bool TakeRelief() {
    std::lock_guard lock(mutex_);
    return std::exchange(notified_, highest_.load()) > highest_;
  }

  const std::function<void()> on_relief_;
  std::atomic<int> highest_ = 0;  // The highest priority in progress.
  std::mutex mutex_;              // Guards the two below, and writes to the one above.
  std::array<int, 3> counts_{};   // By priority.
  int notified_ = 0;              // The maximum of `highest_` since the last on_relief.
};

// Declares work of this priority for its lifetime.
class PriorityScope {
 public:
  PriorityScope(PriorityTracker& priorities, Priority priority)
      : priorities_(priorities), priority_(priority) {
    priorities_.Add(priority_, 1);
  }
  ~PriorityScope() {
    priorities_.Add(priority_, -1);
    priorities_.NotifyRelief();
  }
  PriorityScope(const PriorityScope&) = delete;
  PriorityScope& operator=(const PriorityScope&) = delete;

 private:
  PriorityTracker& priorities_;
  const Priority priority_;
};

}  // namespace coppice::kube
