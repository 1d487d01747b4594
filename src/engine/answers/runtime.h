#pragma once

#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "engine/inputs/ledger.h"

namespace coppice::engine {

// How long a group runs from its start, as far as anyone knows.
struct Runtime {
  enum class Source {
    kUnknown,
    kDeadline,    // activeDeadlineSeconds.
    kAnnotation,  // Its owner's estimate.
    kSimilar,     // What similar groups took.
  };
  Source source = Source::kUnknown;
  // Sorted. One for a deadline or an estimate; one per similar group; none if unknown.
  std::vector<base::Duration> durations;
  std::optional<base::Time> started;  // If it runs.

  // The end of a group that started then and still runs at `now`; nullopt if unknown, or if it has
  // already run for longer. Of several durations, one that is drawn.
  std::optional<base::Time> End(base::Time start, base::Time now, std::mt19937_64& random) const;
  bool spread() const { return durations.size() > 1; }
};
std::string_view ToString(Runtime::Source source);

using Runtimes = std::map<InputKey, Runtime>;

}  // namespace coppice::engine
