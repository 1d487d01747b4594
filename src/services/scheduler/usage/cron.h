#pragma once

#include <optional>
#include <string_view>

#include "base/clock.h"

namespace coppice::services::scheduler {

// The latest time at or before `now` (UTC, whole minutes) that a cron line of five fields names:
// minute, hour, day of month, month, day of week, each "*", "*/n", "a", "a-b", "a-b/n" or a list of
// these. Of the two kinds of days either suffices when both are restricted. Nothing when the line
// is none, or names no time within eight years.
std::optional<base::Time> LastCronTime(std::string_view line, base::Time now);

}  // namespace coppice::services::scheduler
