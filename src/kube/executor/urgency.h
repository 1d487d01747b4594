#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <mutex>
#include <utility>

namespace coppice::kube {

// Priority of work in a process: lower priorities wait for higher ones. Also the priority of a key
// in a work queue.
enum class Turn : int {
  kUsual = 0,  // Status, and other work that nothing waits for.
  kSoon = 1,   // Unblocks existing objects, e.g. scheduling pods.
  kFirst = 2,  // Creates objects.
};

// Counts the urgent work in progress in a process: urgent keys in its work queues, and work that
// components declare. Meanwhile each controller processes one key of lower priority at a time, and
// events and some status writes are deferred for a bounded time. So low-priority work continues and
// nothing starves. Thread-safe.
//
//   const UrgentWork creating(runtime.urgency, Turn::kFirst);
class Urgency {
 public:
  // `on_relief` is called whenever the work of the highest priority in progress has ended.
  explicit Urgency(std::function<void()> on_relief = [] {}) : on_relief_(std::move(on_relief)) {}

  bool Any() const { return Before(Turn::kUsual); }
  // Whether work of a higher priority than `turn` is in progress.
  bool Before(Turn turn) const { return most_ > static_cast<int>(turn); }
  void Add(Turn turn, int count) {
    std::lock_guard lock(mutex_);
    counts_[static_cast<size_t>(turn)] += count;
    most_ = MostLocked();
    told_ = std::max(told_, most_.load());
  }
  // Call without locks held, after a negative Add.
  void Relieve() {
    if (TakeRelief()) on_relief_();
  }

 private:
  int MostLocked() const {
    int most = static_cast<int>(counts_.size()) - 1;
    while (most > 0 && counts_[static_cast<size_t>(most)] <= 0) --most;
    return most;
  }
  bool TakeRelief() {
    std::lock_guard lock(mutex_);
    return std::exchange(told_, most_.load()) > most_;
  }

  const std::function<void()> on_relief_;
  std::atomic<int> most_ = 0;    // The highest priority in progress.
  std::mutex mutex_;             // Guards the two below, and writes to the one above.
  std::array<int, 3> counts_{};  // By priority.
  int told_ = 0;                 // The maximum of `most_` since the last on_relief.
};

// Declares urgent work for its lifetime.
class UrgentWork {
 public:
  UrgentWork(Urgency& urgency, Turn turn) : urgency_(urgency), turn_(turn) {
    urgency_.Add(turn_, 1);
  }
  ~UrgentWork() {
    urgency_.Add(turn_, -1);
    urgency_.Relieve();
  }
  UrgentWork(const UrgentWork&) = delete;
  UrgentWork& operator=(const UrgentWork&) = delete;

 private:
  Urgency& urgency_;
  const Turn turn_;
};

}  // namespace coppice::kube
