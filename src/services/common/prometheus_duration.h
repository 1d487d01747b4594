#pragma once

#include <optional>
#include <string_view>

#include "base/clock.h"

namespace coppice::services {

// "2w", "1d12h", "90s": Prometheus' durations (y, w, d, h, m, s, ms), each unit at most once and in
// this order. nullopt if it does not parse.
std::optional<base::Duration> ParsePrometheusDuration(std::string_view text);

}  // namespace coppice::services
