#pragma once

#include <algorithm>
#include <mutex>
#include <unordered_map>

#include "api/resource.h"
#include "base/clock.h"
#include "kube/executor/urgency.h"

namespace coppice::services {

// Lets the changes of an object gather before it is told what became of them: a pod that is
// created, grouped and bound within moments is told of in one write. Where the server is slow, and
// so has much to do, and while pods are being grouped and bound, which is urgent, it is told less
// often. What is told must follow from what the API shows: a process that stops in between leaves
// it to the next one. Thread-safe.
class Gathering {
 public:
  // `urgency` must outlive it.
  explicit Gathering(const kube::Urgency& urgency) : urgency_(urgency) {}

  // How long changes of this object should still gather; zero when its turn has come.
  base::Duration Wait(const api::ObjectKey& key, base::Instant now) {
    std::lock_guard lock(mutex_);
    const auto [entry, first] = turns_.try_emplace(key, Turn{now, now + window_});
    if (now < entry->second.due) return entry->second.due - now;
    if (now - entry->second.since < kPatience && IsUrgentLocked(now)) return PauseLocked();
    turns_.erase(entry);
    return base::Duration::zero();
  }

  // Whether its turn is still to come, and will see what happens now.
  bool IsOpen(const api::ObjectKey& key) const {
    std::lock_guard lock(mutex_);
    return turns_.contains(key);
  }

  // It has been told everything, out of turn.
  void Forget(const api::ObjectKey& key) {
    std::lock_guard lock(mutex_);
    turns_.erase(key);
  }

  // A write took this long: what comes next gathers accordingly.
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
  // How long an object lets urgent work pass.
  static constexpr base::Duration kPatience = std::chrono::seconds(10);
  // While much is under way, nothing may be urgent for an instant between two pods.
  static constexpr base::Duration kCalm = std::chrono::milliseconds(200);

  bool IsUrgentLocked(base::Instant now) {
    if (urgency_.Any()) calm_from_ = now + kCalm;
    return now < calm_from_;
  }

  // Many objects ask less often each.
  base::Duration PauseLocked() const {
    const base::Duration pause = std::chrono::milliseconds(1) * turns_.size();
    return std::clamp(pause, kShortest, kLongest);
  }

  const kube::Urgency& urgency_;
  mutable std::mutex mutex_;  // Guards what follows.
  base::Duration window_ = kShortest;
  base::Instant calm_from_{};
  std::unordered_map<api::ObjectKey, Turn, api::ObjectKeyHash> turns_;
};

}  // namespace coppice::services
