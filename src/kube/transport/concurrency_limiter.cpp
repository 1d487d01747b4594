#include "kube/transport/concurrency_limiter.h"

#include <algorithm>

namespace coppice::kube {

ConcurrencyLimiter::Slot::Slot(ConcurrencyLimiter& limiter)
    : limiter_(limiter), round_(limiter.Acquire()) {}

ConcurrencyLimiter::Slot::~Slot() { limiter_.Release(outcome_, round_); }

double ConcurrencyLimiter::limit() const {
  std::lock_guard lock(mutex_);
  return limit_;
}

int ConcurrencyLimiter::in_flight() const {
  std::lock_guard lock(mutex_);
  return in_flight_;
}

uint64_t ConcurrencyLimiter::Acquire() {
  std::unique_lock lock(mutex_);
  room_.wait(lock, [this] { return in_flight_ < static_cast<int>(limit_); });
  ++in_flight_;
  return round_;
}

void ConcurrencyLimiter::Release(Outcome outcome, uint64_t round) {
  {
    std::lock_guard lock(mutex_);
    // Only a fully used window shows that a larger one would be used.
    const bool was_full = in_flight_ + 1 >= static_cast<int>(limit_);
    --in_flight_;
    if (outcome == Outcome::kThrottled && round == round_) {
      limit_ = std::max(options_.minimum, limit_ / 2);
      ++round_;
    } else if (outcome == Outcome::kOk && was_full) {
      limit_ = std::min(options_.maximum, limit_ + 1 / limit_);
    }
  }
  room_.notify_all();
}

}  // namespace coppice::kube
