#pragma once

#include <algorithm>
#include <mutex>
#include <unordered_map>

#include "api/resource.h"
#include "base/clock.h"
#include "kube/executor/priority.h"

namespace coppice::services {

// Debounces writes about objects: a pod that is created, grouped and bound in quick succession
// causes one write. The delay grows while the server is slow, and while pods are being grouped and
// bound, which is urgent. The written state must be derivable from the API, so that the next
// process can write it if this one stops in between. Thread-safe.
class Gathering {
 public:
  // `priorities` must outlive it.
  explicit Gathering(const kube::PriorityTracker& priorities) : priorities_(priorities) {}

  // How long to defer the write about this object; zero if it is due.
  base::Duration Wait(const api::ObjectKey& key, base::Instant now) {
    std::lock_guard lock(mutex_);
    const auto [entry, first] = turns_.try_emplace(key, Turn{now, now + window_});
    if (now < entry->second.due) return entry->second.due - now;
    if (now - entry->second.since < kPatience && IsUrgentLocked(now)) return PauseLocked();
    turns_.erase(entry);
    return base::Duration::zero();
  }

  // Whether a write is pending that will include changes made now.
  bool IsOpen(const api::ObjectKey& key) const {
    std::lock_guard lock(mutex_);
    return turns_.contains(key);
  }

  // Everything was written, independent of the delay.
  void Forget(const api::ObjectKey& key) {
    std::lock_guard lock(mutex_);
    turns_.erase(key);
  }

  // Reports the duration of a write, which adapts the delay.
  void Wrote(base::Duration took) {
    std::lock_guard lock(mutex_);
    window_ = std::clamp(kWritesPerWindow * took, kShortest, kLongest);
  }

 private:
  struct Turn {
    base::Instant since, due;
  };

  static constexpr int kWritesPerWindow = 20;
  static constexpr base::Duration kShortest = std::chrono::milliseconds(100);
  static constexpr base::Duration kLongest = std::chrono::seconds(2);
  // Maximum time to defer for urgent work.
  static constexpr base::Duration kPatience = std::chrono::seconds(10);
  // Under load there may be no urgent work for an instant between two pods.
  static constexpr base::Duration kCalm = std::chrono::milliseconds(200);

  bool IsUrgentLocked(base::Instant now) {
    if (priorities_.AnyUrgent()) calm_from_ = now + kCalm;
    return now < calm_from_;
  }

  // With many objects, each asks less often.
  base::Duration PauseLocked() const {
    const base::Duration pause = std::chrono::milliseconds(1) * turns_.size();
    return std::clamp(pause, kShortest, kLongest);
  }

  const kube::PriorityTracker& priorities_;
  mutable std::mutex mutex_;  // Guards what follows.
  base::Duration window_ = kShortest;
  base::Instant calm_from_{};
  std::unordered_map<api::ObjectKey, Turn, api::ObjectKeyHash> turns_;
};

}  // namespace coppice::services
