#include "kube/limited_client.h"

#include <algorithm>

namespace coppice::kube {

LimitedClient::LimitedClient(Client& inner, const base::Clock& clock, Options options)
    : InterceptedClient(inner),
      clock_(clock),
      options_(options),
      tokens_(options.burst),
      refilled_(clock.Now()) {}

base::Status LimitedClient::Before(const Call& call) {
  if (call.verb == Verb::kList || call.verb == Verb::kWatch) return {};
  std::lock_guard lock(mutex_);
  const base::Time now = clock_.Now();
  const double elapsed = std::chrono::duration<double>(now - refilled_).count();
  tokens_ = std::min(options_.burst, tokens_ + elapsed * options_.per_second);
  refilled_ = now;
  if (tokens_ >= 1) {
    tokens_ -= 1;
    return {};
  }
  const double wait_ms = (1 - tokens_) / options_.per_second * 1000;
  return base::Error(base::ErrorCode::kTooManyRequests, "over this client's own rate limit")
      .WithRetryAfter(std::chrono::milliseconds(static_cast<int64_t>(wait_ms) + 1));
}

}  // namespace coppice::kube
