#pragma once

#include <bitset>
#include <optional>
#include <string_view>

#include "base/clock.h"

namespace coppice::services {

// A cron line: "minute hour day month weekday" with lists, ranges, steps and names
// ("*/15 9-17 * * mon-fri"), or @yearly, @monthly, @weekly, @daily, @hourly. In UTC.
class CronSchedule {
 public:
  static base::Result<CronSchedule> Parse(std::string_view text);

  // The last time at or before `now`, and the first after it; none for days that do not come
  // (30 February).
  std::optional<base::Time> Last(base::Time now) const;
  std::optional<base::Time> Next(base::Time now) const;

 private:
  bool OnDay(std::chrono::sys_days day) const;
  bool AtMinute(int minute) const;  // Of a day.

  std::bitset<64> minutes_, hours_, days_, months_, weekdays_;
  // A day must be right by both, or by either where neither field says "any".
  bool any_day_ = false, any_weekday_ = false;
};

}  // namespace coppice::services
