#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include "http/client/client.h"

namespace coppice::kube {

struct RetryOptions {
  int max_attempts = 5;
  std::chrono::milliseconds first_delay{50};
  std::chrono::milliseconds max_delay{5'000};
};

// Whether and when a request is worth repeating, given how it ended:
// - it never left us: yes, whatever it was;
// - the server said when to come back (Retry-After with 429 or 5xx): yes, then;
// - a read that broke or met 502, 503 or 504: yes;
// - anything else may have had its effect, and is the caller's to judge.
// `attempt` counts from 1; `random` gives the jitter: the delay is between half of and the full
// exponential step.
std::optional<std::chrono::milliseconds> RetryDelay(const RetryOptions& options,
                                                    std::string_view method,
                                                    const http::Exchange& exchange, int attempt,
                                                    uint32_t random);

}  // namespace coppice::kube
