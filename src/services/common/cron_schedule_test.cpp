#include "services/common/cron_schedule.h"

#include <gtest/gtest.h>

namespace coppice::services {
namespace {

using Find = std::optional<base::Time> (CronSchedule::*)(base::Time) const;

std::string Found(Find find, std::string_view schedule, std::string_view now) {
  const auto parsed = CronSchedule::Parse(schedule);
  if (!parsed) return parsed.error().message();
  const auto time = ((*parsed).*find)(*base::ParseRfc3339(now));
  return time ? base::FormatRfc3339(*time) : "never";
}

std::string NextAfter(std::string_view schedule, std::string_view now) {
  return Found(&CronSchedule::Next, schedule, now);
}

TEST(CronSchedule, FindsTheLastTime) {
  const char* now = "2026-03-18T10:30:30Z";  // A Wednesday.
  for (const auto& [schedule, last] : {std::pair("0 0 * * *", "2026-03-18T00:00:00Z"),
                                       {"0 0 * * 1", "2026-03-16T00:00:00Z"},
                                       {"*/15 * * * *", "2026-03-18T10:30:00Z"},
                                       {"45 10 * * *", "2026-03-17T10:45:00Z"},
                                       {"0 12 1 1 *", "2026-01-01T12:00:00Z"},
                                       {"0 0 29 2 *", "2024-02-29T00:00:00Z"},
                                       {"0 0 1 * 7", "2026-03-15T00:00:00Z"},  // Either day.
                                       {"0 0 31 2 *", "never"}}) {
    EXPECT_EQ(Found(&CronSchedule::Last, schedule, now), last) << schedule;
  }
}

// 2026-01-01 is a Thursday.
TEST(CronSchedule, FindsTheNextTime) {
  for (const auto& [schedule, after, next] : {
           std::tuple("* * * * *", "2026-01-01T00:00:00Z", "2026-01-01T00:01:00Z"),
           {"* * * * *", "2026-01-01T00:00:59.5Z", "2026-01-01T00:01:00Z"},
           {"*/15 9-17 * * mon-fri", "2026-01-02T17:45:00Z", "2026-01-05T09:00:00Z"},
           {"5,10 3 * * *", "2026-01-01T03:05:00Z", "2026-01-01T03:10:00Z"},
           {"20/20 * * * *", "2026-01-01T00:20:00Z", "2026-01-01T00:40:00Z"},
           {"0 0 1 JAN,Jul ?", "2026-01-01T00:00:00Z", "2026-07-01T00:00:00Z"},
           {"0 0 29 2 *", "2026-01-01T00:00:00Z", "2028-02-29T00:00:00Z"},
           {"@weekly", "2026-01-01T00:00:00Z", "2026-01-04T00:00:00Z"},
           {"@hourly", "2026-12-31T23:30:00Z", "2027-01-01T00:00:00Z"},
           {"0 0 30 2 *", "2026-01-01T00:00:00Z", "never"},
       }) {
    EXPECT_EQ(NextAfter(schedule, after), next) << schedule;
  }
}

TEST(CronSchedule, ADayIsRightByEitherFieldWhereBothSaySomething) {
  EXPECT_EQ(NextAfter("0 0 13 * fri", "2026-01-01T00:00:00Z"), "2026-01-02T00:00:00Z");
  EXPECT_EQ(NextAfter("0 0 13 * *", "2026-01-01T00:00:00Z"), "2026-01-13T00:00:00Z");
  EXPECT_EQ(NextAfter("0 0 * * fri", "2026-01-02T00:00:00Z"), "2026-01-09T00:00:00Z");
}

TEST(CronSchedule, RefusesWhatIsNotOne) {
  for (const char* text :
       {"", "* * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * * 13 *", "* * * * 8",
        "5-1 * * * *", "*/0 * * * *", "a * * * *", "1-2-3 * * * *", "1,,2 * * * *", "@sometimes"}) {
    EXPECT_FALSE(CronSchedule::Parse(text).ok()) << text;
  }
}

}  // namespace
}  // namespace coppice::services
