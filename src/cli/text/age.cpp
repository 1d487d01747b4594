#include "cli/text/age.h"

#include <fmt/format.h>

namespace coppice::cli {
namespace {

std::string TwoUnits(int64_t large, std::string_view large_unit, int64_t small,
                     std::string_view small_unit) {
  return small == 0 ? fmt::format("{}{}", large, large_unit)
                    : fmt::format("{}{}{}{}", large, large_unit, small, small_unit);
}

}  // namespace

std::string ShortDuration(base::Duration duration) {
  const int64_t seconds =
      std::max<int64_t>(std::chrono::duration_cast<std::chrono::seconds>(duration).count(), 0);
  const int64_t minutes = seconds / 60, hours = minutes / 60, days = hours / 24;
  if (seconds < 120) return fmt::format("{}s", seconds);
  if (minutes < 10) return TwoUnits(minutes, "m", seconds % 60, "s");
  if (hours < 3) return fmt::format("{}m", minutes);
  if (hours < 8) return TwoUnits(hours, "h", minutes % 60, "m");
  if (hours < 48) return fmt::format("{}h", hours);
  if (days < 8) return TwoUnits(days, "d", hours % 24, "h");
  return fmt::format("{}d", days);
}

std::string AgeOf(std::string_view timestamp, base::Time now) {
  const auto time = base::ParseRfc3339(timestamp);
  return time ? ShortDuration(now - *time) : "";
}

}  // namespace coppice::cli
