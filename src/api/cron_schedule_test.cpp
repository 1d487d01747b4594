#include "api/cron_schedule.h"

#include <gtest/gtest.h>

namespace coppice::api {
namespace {

using Find = std::optional<base::Time> (CronSchedule::*)(base::Time, base::Time) const;

std::string Found(Find find, std::string_view schedule, std::string_view now) {
  const auto parsed = CronSchedule::Parse(schedule);
  if (!parsed) return parsed.error().message();
  const auto time = ((*parsed).*find)(*base::ParseRfc3339(now), {});
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
                                       {"0 0 1 * 0", "2026-03-15T00:00:00Z"},  // Either day.
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

TEST(CronSchedule, CountsWhatComesEverySoOften) {
  const auto every = CronSchedule::Parse("@every 1h30m");
  ASSERT_TRUE(every.ok());
  const auto at = [](const char* text) { return *base::ParseRfc3339(text); };
  const base::Time since = at("2026-01-01T00:10:00Z");
  EXPECT_EQ(every->Last(at("2026-01-01T01:39:59Z"), since), std::nullopt);
  EXPECT_EQ(every->Last(at("2026-01-01T04:00:00Z"), since), at("2026-01-01T03:10:00Z"));
  EXPECT_EQ(every->Next(at("2026-01-01T04:00:00Z"), since), at("2026-01-01T04:40:00Z"));
  EXPECT_EQ(every->Next(at("2026-01-01T00:00:00Z"), since), at("2026-01-01T01:40:00Z"));
}

TEST(CronSchedule, AcceptsWhatKubernetesAccepts) {
  for (const char* text : {"1,,2 * * * *", ", * * * *", "*-5 * * * *", "+5 * * * *", "? ? ? ? ?",
                           "0/59 * * * *", "0 0 * * SUN-sat", "\t0  0 1 1 *  ", "@midnight",
                           "@every 1.5h", "@every -5m", "TZ=UTC * * * * *", "CRON_TZ=UTC @daily"}) {
    const auto parsed = CronSchedule::Parse(text);
    EXPECT_TRUE(parsed.ok()) << text << ": " << parsed.error().message();
  }
}

TEST(CronSchedule, SaysWhatIsWrongInKubernetesWords) {
  for (const auto& [text, problem] : {
           std::pair("", "empty spec string"),
           {"* * * *", "expected exactly 5 fields, found 4: [* * * *]"},
           {"61 * * * *", "end of range (61) above maximum (59): 61"},
           {"* 24 * * *", "end of range (24) above maximum (23): 24"},
           {"* * 0 * *", "beginning of range (0) below minimum (1): 0"},
           {"* * * 13 *", "end of range (13) above maximum (12): 13"},
           {"* * * * 7", "end of range (7) above maximum (6): 7"},
           {"5-1 * * * *", "beginning of range (5) beyond end of range (1): 5-1"},
           {"*/0 * * * *", "step of range should be a positive number: */0"},
           {"1-2-3 * * * *", "too many hyphens: 1-2-3"},
           {"*/2/3 * * * *", "too many slashes: */2/3"},
           {"a * * * *", "failed to parse int from a: strconv.Atoi: parsing \"a\": invalid syntax"},
           {"-1 * * * *", "failed to parse int from : strconv.Atoi: parsing \"\": invalid syntax"},
           {"*/-2 * * * *", "negative number (-2) not allowed: -2"},
           {"99999999999999999999 * * * *",
            "failed to parse int from 99999999999999999999: strconv.Atoi: parsing "
            "\"99999999999999999999\": value out of range"},
           {"@sometimes", "unrecognized descriptor: @sometimes"},
           {"@every", "unrecognized descriptor: @every"},
           {"@every 5", "failed to parse duration @every 5: time: missing unit in duration \"5\""},
           {"@every 5y",
            "failed to parse duration @every 5y: time: unknown unit \"y\" in duration \"5y\""},
           {"@every often",
            "failed to parse duration @every often: time: invalid duration \"often\""},
           {"TZ=Not/There * * * * *",
            "provided bad location Not/There: unknown time zone Not/There"},
       }) {
    const auto parsed = CronSchedule::Parse(text);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_EQ(parsed.error().message(), problem) << text;
  }
}

}  // namespace
}  // namespace coppice::api
