#include "kube/transport/retry.h"

#include <algorithm>
#include <cstdlib>

namespace coppice::kube {
namespace {

using std::chrono::milliseconds;

bool IsRead(std::string_view method) { return method == "GET" || method == "HEAD"; }

bool IsTransient(const base::Error& error) {
  return error.Is(base::ErrorCode::kUnavailable) || error.Is(base::ErrorCode::kTimeout);
}

milliseconds Step(const RetryOptions& options, int attempt, uint32_t random) {
  const milliseconds full =
      std::min(options.max_delay, options.first_delay * (1 << std::min(attempt - 1, 16)));
  return full / 2 + milliseconds(random % (full.count() / 2 + 1));
}

}  // namespace

std::optional<milliseconds> RetryDelay(const RetryOptions& options, std::string_view method,
                                       const http::Exchange& exchange, int attempt,
                                       uint32_t random) {
  if (attempt >= options.max_attempts) return std::nullopt;
  const milliseconds step = Step(options, attempt, random);
  if (!exchange.response) {
    const bool safe = !exchange.sent || IsRead(method);
    if (safe && IsTransient(exchange.response.error())) return step;
    return std::nullopt;
  }
  const int status = exchange.response->status;
  if (status != 429 && status < 500) return std::nullopt;
  const int seconds = std::atoi(std::string(exchange.response->headers.Get("retry-after")).c_str());
  if (seconds > 0) {
    // Longer than this is the caller's business.
    if (std::chrono::seconds(seconds) > 6 * options.max_delay) return std::nullopt;
    return std::chrono::seconds(seconds) + step;
  }
  const bool passing = status == 502 || status == 503 || status == 504;
  return passing && IsRead(method) ? std::optional(step) : std::nullopt;
}

}  // namespace coppice::kube
