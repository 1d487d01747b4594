#pragma once

#include <bitset>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace coppice::api {

// A cron line as Kubernetes reads it: "minute hour day month weekday" with lists, ranges, steps and
// names ("*/15 9-17 * * mon-fri"), @yearly, @monthly, @weekly, @daily, @hourly, or "@every 1h30m";
// in front of it "TZ=Europe/Berlin ". Times are UTC.
class CronSchedule {
 public:
  // The error is in the words of Kubernetes.
  static base::Result<CronSchedule> Parse(std::string_view text);

  // The last time at or before `now`, and the first after it; none for days that do not come
  // (30 February). What comes every so often is counted from `since`.
  std::optional<base::Time> Last(base::Time now, base::Time since = {}) const;
  std::optional<base::Time> Next(base::Time now, base::Time since = {}) const;

  // What the line says about it; the times above do not heed it.
  const std::string& zone() const { return zone_; }

 private:
  base::Status ParseFields(std::string_view text);
  base::Status ParseName(std::string_view text);
  bool OnDay(std::chrono::sys_days day) const;
  bool AtMinute(int minute) const;  // Of a day.

  std::string zone_;
  base::Duration every_{};  // Instead of all below.
  std::bitset<64> minutes_, hours_, days_, months_, weekdays_;
  // A day must be right by both, or by either where neither field says "any".
  bool any_day_ = false, any_weekday_ = false;
};

}  // namespace coppice::api
