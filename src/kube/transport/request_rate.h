#pragma once

#include <chrono>
#include <mutex>

#include "base/clock.h"

namespace coppice::kube {

// A cap on requests per second, for those who want one besides the adaptive concurrency: a bucket
// that holds one second's worth. A caller that comes when it is empty is told how long to wait for
// its turn (Reserve), or that it is not taken (Take). Thread-safe.
class RequestRate {
 public:
  // 0 or less: no cap.
  explicit RequestRate(double per_second) : per_second_(per_second), tokens_(Burst()) {}

  // Takes a place; the caller waits this long before it sends.
  std::chrono::milliseconds Reserve(base::Instant now);
  // False: one too many, now.
  bool Take(base::Instant now);

 private:
  void Refill(base::Instant now);
  double Burst() const { return per_second_ > 1 ? per_second_ : 1; }

  const double per_second_;
  std::mutex mutex_;  // Guards what follows.
  double tokens_;     // Below zero: so many callers wait.
  base::Instant refilled_{};
};

}  // namespace coppice::kube
