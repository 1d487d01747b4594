#pragma once

#include <map>
#include <optional>
#include <string>

#include "api/resource.h"
#include "base/clock.h"

namespace coppice::services::scheduler {

// Bind back-off: a pod whose bind was given up waits before the next decision, longer each time. So
// a bind that can never succeed costs the API server little, and others can use its resources
// meanwhile.
class BindBackoff {
 public:
  explicit BindBackoff(base::Duration first) : first_(first) {}

  // The bind of this pod by this request failed. Idempotent per request.
  void Failed(const api::ObjectKey& pod, const std::string& request_uid, base::Instant now) {
    Backoff& backoff = by_pod_[pod];
    if (backoff.request == request_uid) return;
    backoff.request = request_uid;
    backoff.wait = backoff.wait == base::Duration::zero() ? first_ : backoff.wait * 2;
    if (backoff.wait > kMost) backoff.wait = kMost;
    backoff.until = now + backoff.wait;
  }

  // nullopt: it is not backing off.
  std::optional<base::Instant> BackedOffUntil(const api::ObjectKey& pod, base::Instant now) const {
    const auto found = by_pod_.find(pod);
    if (found == by_pod_.end() || found->second.until <= now) return std::nullopt;
    return found->second.until;
  }

  // It was bound, or is gone.
  void Forget(const api::ObjectKey& pod) { by_pod_.erase(pod); }

 private:
  static constexpr base::Duration kMost = std::chrono::minutes(1);
  struct Backoff {
    std::string request;
    base::Duration wait{};
    base::Instant until;
  };

  const base::Duration first_;
  std::map<api::ObjectKey, Backoff> by_pod_;
};

}  // namespace coppice::services::scheduler
