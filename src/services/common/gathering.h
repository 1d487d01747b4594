#pragma once

#include <algorithm>
#include <mutex>
#include <unordered_map>

#include "api/resource.h"
#include "base/clock.h"

namespace coppice::services {

// Lets the changes of an object gather before its status is computed: a pod that is created,
// grouped and bound within moments is told of in one write. Where the server is slow, and so has
// much to do, it is told less often. A process that stops in between loses nothing: the next one
// computes the status anew. Thread-safe.
class Gathering {
 public:
  // How long changes of this object should still gather; zero when its turn has come.
  base::Duration Wait(const api::ObjectKey& key, base::Time now) {
    std::lock_guard lock(mutex_);
    const auto [entry, first] = due_.try_emplace(key, now + window_);
    if (now < entry->second) return entry->second - now;
    due_.erase(entry);
    return base::Duration::zero();
  }

  // Whether its turn is still to come, and will see what happens now.
  bool IsOpen(const api::ObjectKey& key) const {
    std::lock_guard lock(mutex_);
    return due_.contains(key);
  }

  // A write took this long: what comes next gathers accordingly.
  void Wrote(base::Duration took) {
    std::lock_guard lock(mutex_);
    window_ = std::clamp(kWritesPerWindow * took, kShortest, kLongest);
  }

 private:
  static constexpr int kWritesPerWindow = 20;
  static constexpr base::Duration kShortest = std::chrono::milliseconds(100);
  static constexpr base::Duration kLongest = std::chrono::seconds(2);

  mutable std::mutex mutex_;  // Guards what follows.
  base::Duration window_ = kShortest;
  std::unordered_map<api::ObjectKey, base::Time, api::ObjectKeyHash> due_;
};

}  // namespace coppice::services
