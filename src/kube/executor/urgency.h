#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <mutex>
#include <utility>

namespace coppice::kube {

// How soon something should be done: what is behind waits for what is ahead. Also the priority of a
// key in a work queue.
enum class Turn : int {
  kUsual = 0,  // Status, and whatever nobody waits for.
  kSoon = 1,   // What lets objects that exist go on, as the scheduling of pods.
  kFirst = 2,  // What brings them about.
};

// How much is under way in a process that others wait for: urgent keys in its work queues, and what
// components say. While there is any, each controller works on one key at a time whose turn is
// later, and events and some statuses wait, though not for long. So much goes on, whatever is
// urgent: nothing starves. Thread-safe.
//
//   const UrgentWork creating(runtime.urgency, Turn::kFirst);
class Urgency {
 public:
  // `on_relief` is called whenever the most urgent that was under way no longer is.
  explicit Urgency(std::function<void()> on_relief = [] {}) : on_relief_(std::move(on_relief)) {}

  bool Any() const { return Before(Turn::kUsual); }
  // Whether anything is under way that comes before this turn.
  bool Before(Turn turn) const { return most_ > static_cast<int>(turn); }
  void Add(Turn turn, int count) {
    std::lock_guard lock(mutex_);
    counts_[static_cast<size_t>(turn)] += count;
    most_ = MostLocked();
    told_ = std::max(told_, most_.load());
  }
  // To be called, without locks held, after something was taken away.
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
  std::atomic<int> most_ = 0;    // The most urgent turn of which there is something.
  std::mutex mutex_;             // Guards the two below, and writes to the one above.
  std::array<int, 3> counts_{};  // By turn.
  int told_ = 0;                 // The highest that `most_` was since somebody was relieved.
};

// Urgent for as long as it lives.
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
