#include "api/cron_schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "api/cron_field.h"
#include "api/time_zone.h"
#include "base/quote.h"

namespace coppice::api {
namespace {

// A leap day comes after eight years at the latest.
constexpr int kDaysAway = 8 * 366;
constexpr int kMinutesOfADay = 24 * 60;
constexpr std::string_view kEvery = "@every ";
constexpr std::string_view kSpace = " \t\n\v\f\r";

// Minute, hour, day, month, weekday.
const std::array<CronField, 5> kFields = {{
    {0, 59, {}},
    {0, 23, {}},
    {1, 31, {}},
    {1, 12, {"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}},
    {0, 6, {"sun", "mon", "tue", "wed", "thu", "fri", "sat"}},
}};

std::string_view Usual(std::string_view name) {
  if (name == "@yearly" || name == "@annually") return "0 0 1 1 *";
  if (name == "@monthly") return "0 0 1 * *";
  if (name == "@weekly") return "0 0 * * 0";
  if (name == "@daily" || name == "@midnight") return "0 0 * * *";
  if (name == "@hourly") return "0 * * * *";
  return "";
}

std::string Quoted(std::string_view text) {
  std::string quoted;
  base::AppendQuoted(text, quoted);
  return quoted;
}

// "1.5" of "1.5h3m".
std::string_view LeadingNumber(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789";
  size_t end = std::min(text.find_first_not_of(kDigits), text.size());
  if (end < text.size() && text[end] == '.') {
    end = std::min(text.find_first_not_of(kDigits, end + 1), text.size());
  }
  return text.substr(0, end);
}

// What is wrong with a duration that cannot be parsed.
std::string DurationProblem(std::string_view text) {
  std::string_view rest = text;
  if (rest.starts_with('-') || rest.starts_with('+')) rest.remove_prefix(1);
  while (!rest.empty()) {
    const std::string_view number = LeadingNumber(rest);
    if (number.empty() || number == ".") break;
    rest.remove_prefix(number.size());
    const std::string_view unit =
        rest.substr(0, std::min(rest.find_first_of("0123456789."), rest.size()));
    if (unit.empty()) return "time: missing unit in duration " + Quoted(text);
    if (!base::ParseDuration(fmt::format("1{}", unit))) {
      return fmt::format("time: unknown unit {} in duration {}", Quoted(unit), Quoted(text));
    }
    rest.remove_prefix(unit.size());
  }
  return "time: invalid duration " + Quoted(text);
}

}  // namespace

base::Result<CronSchedule> CronSchedule::Parse(std::string_view text) {
  if (text.empty()) return base::InvalidArgument("empty spec string");
  CronSchedule schedule;
  if (text.starts_with("TZ=") || text.starts_with("CRON_TZ=")) {
    const size_t begin = text.find('=') + 1;
    const size_t end = std::min(text.find(' '), text.size());
    schedule.zone_ = text.substr(begin, end - begin);
    if (const base::Status known = CheckTimeZoneName(schedule.zone_); !known) {
      return base::InvalidArgument(
          fmt::format("provided bad location {}: {}", schedule.zone_, known.error().message()));
    }
    text.remove_prefix(std::min(text.find_first_not_of(kSpace, end), text.size()));
    text = text.substr(0, text.find_last_not_of(kSpace) + 1);
  }
  COPPICE_TRY(text.starts_with('@') ? schedule.ParseName(text) : schedule.ParseFields(text));
  return schedule;
}

base::Status CronSchedule::ParseName(std::string_view text) {
  if (const std::string_view usual = Usual(text); !usual.empty()) return ParseFields(usual);
  if (!text.starts_with(kEvery)) {
    return base::InvalidArgument(fmt::format("unrecognized descriptor: {}", text));
  }
  const auto every = base::ParseDuration(text.substr(kEvery.size()));
  if (!every) {
    return base::InvalidArgument(fmt::format("failed to parse duration {}: {}", text,
                                             DurationProblem(text.substr(kEvery.size()))));
  }
  // Whole seconds, and at least one.
  every_ = std::max(std::chrono::floor<std::chrono::seconds>(*every), std::chrono::seconds(1));
  return {};
}

base::Status CronSchedule::ParseFields(std::string_view text) {
  const std::vector<std::string_view> words = SplitWords(text, kSpace);
  if (words.size() != kFields.size()) {
    return base::InvalidArgument(fmt::format("expected exactly {} fields, found {}: [{}]",
                                             kFields.size(), words.size(), fmt::join(words, " ")));
  }
  std::array<CronBits, kFields.size()> parsed;
  for (size_t i = 0; i < kFields.size(); ++i) {
    COPPICE_ASSIGN(parsed[i], ParseCronField(kFields[i], words[i]));
  }
  minutes_ = parsed[0].set;
  hours_ = parsed[1].set;
  days_ = parsed[2].set;
  months_ = parsed[3].set;
  weekdays_ = parsed[4].set;
  any_day_ = parsed[2].any;
  any_weekday_ = parsed[4].any;
  return {};
}

bool CronSchedule::OnDay(std::chrono::sys_days day) const {
  const std::chrono::year_month_day date(day);
  if (!months_.test(static_cast<unsigned>(date.month()))) return false;
  const bool by_day = days_.test(static_cast<unsigned>(date.day()));
  const bool by_weekday = weekdays_.test(std::chrono::weekday(day).c_encoding());
  return any_day_ || any_weekday_ ? by_day && by_weekday : by_day || by_weekday;
}

bool CronSchedule::AtMinute(int minute) const {
  return hours_.test(static_cast<size_t>(minute / 60)) &&
         minutes_.test(static_cast<size_t>(minute % 60));
}

std::optional<base::Time> CronSchedule::Last(base::Time now, base::Time since) const {
  if (every_ > base::Duration::zero()) {
    const auto times = (now - since) / every_;
    return times > 0 ? std::optional(since + times * every_) : std::nullopt;
  }
  const auto today = std::chrono::floor<std::chrono::days>(now);
  for (int back = 0; back <= kDaysAway; ++back) {
    const auto day = today - std::chrono::days(back);
    if (!OnDay(day)) continue;
    for (int minute = kMinutesOfADay - 1; minute >= 0; --minute) {
      const base::Time time = day + std::chrono::minutes(minute);
      if (time <= now && AtMinute(minute)) return time;
    }
  }
  return std::nullopt;
}

std::optional<base::Time> CronSchedule::Next(base::Time now, base::Time since) const {
  if (every_ > base::Duration::zero()) {
    return since + (std::max<int64_t>((now - since) / every_, 0) + 1) * every_;
  }
  const auto today = std::chrono::floor<std::chrono::days>(now);
  for (int ahead = 0; ahead <= kDaysAway; ++ahead) {
    const auto day = today + std::chrono::days(ahead);
    if (!OnDay(day)) continue;
    for (int minute = 0; minute < kMinutesOfADay; ++minute) {
      const base::Time time = day + std::chrono::minutes(minute);
      if (time > now && AtMinute(minute)) return time;
    }
  }
  return std::nullopt;
}

}  // namespace coppice::api
