#pragma once

#include <chrono>
#include <mutex>

#include "base/clock.h"

namespace coppice::kube {

// Optional cap on requests per second, in addition to the adaptive concurrency limit: a token
// bucket of one second's worth. If it is empty, Reserve returns how long to wait, and Take returns
// false. Thread-safe.
class RequestRate {
 public:
  // 0 or less: no cap.
  explicit RequestRate(double per_second) : per_second_(per_second), tokens_(Burst()) {}

  // Reserves a slot; the caller waits this long before it sends.
  std::chrono::milliseconds Reserve(base::Instant now);
  // False: over the limit.
  bool Take(base::Instant now);

 private:
  void Refill(base::Instant now);
  double Burst() const { return per_second_ > 1 ? per_second_ : 1; }

  const double per_second_;
  std::mutex mutex_;  // Guards what follows.
  double tokens_;     // Below zero: the number of waiting callers.
  base::Instant refilled_{};
};

}  // namespace coppice::kube
