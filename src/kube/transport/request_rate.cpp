#include "kube/transport/request_rate.h"

#include <algorithm>
#include <cmath>

namespace coppice::kube {

void RequestRate::Refill(base::Instant now) {
  if (now <= refilled_) return;
  const double elapsed = std::chrono::duration<double>(now - refilled_).count();
  tokens_ = std::min(Burst(), tokens_ + elapsed * per_second_);
  refilled_ = now;
}

bool RequestRate::Take(base::Instant now) {
  if (per_second_ <= 0) return true;
  std::lock_guard lock(mutex_);
  Refill(now);
  if (tokens_ < 1) return false;
  tokens_ -= 1;
  return true;
}

std::chrono::milliseconds RequestRate::Reserve(base::Instant now) {
  if (per_second_ <= 0) return {};
  std::lock_guard lock(mutex_);
  Refill(now);
  tokens_ -= 1;
  if (tokens_ >= 0) return {};
  return std::chrono::milliseconds(static_cast<int64_t>(std::ceil(-tokens_ / per_second_ * 1000)));
}

}  // namespace coppice::kube
