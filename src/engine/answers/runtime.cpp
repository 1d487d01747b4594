#include "engine/answers/runtime.h"

#include <algorithm>

namespace coppice::engine {

std::string_view ToString(Runtime::Source source) {
  switch (source) {
    case Runtime::Source::kUnknown:
      return "unknown";
    case Runtime::Source::kDeadline:
      return "activeDeadlineSeconds";
    case Runtime::Source::kAnnotation:
      return "expected-runtime";
    case Runtime::Source::kSimilar:
      return "similar";
  }
  return "unknown";
}

// Of what similar groups took, only that can still come true which is longer than it has run.
std::optional<base::Time> Runtime::End(base::Time start, base::Time now,
                                       std::mt19937_64& random) const {
  // A clock that was set back must not make it run longer.
  start = std::min(start, now);
  const auto left = std::upper_bound(durations.begin(), durations.end(), now - start);
  const auto count = static_cast<uint64_t>(durations.end() - left);
  if (count == 0) return std::nullopt;
  return start + *(left + static_cast<ptrdiff_t>(random() % count));
}

}  // namespace coppice::engine
