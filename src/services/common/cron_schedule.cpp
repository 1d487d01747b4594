#include "services/common/cron_schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

namespace coppice::services {
namespace {

using Bits = std::bitset<64>;

// A leap day comes after eight years at the latest.
constexpr int kDaysAway = 8 * 366;
constexpr int kMinutesOfADay = 24 * 60;

struct Field {
  std::string_view name;
  int min, max;
  std::vector<std::string_view> words;  // For min, min + 1, …
};

const std::array<Field, 5> kFields = {{
    {"minute", 0, 59, {}},
    {"hour", 0, 23, {}},
    {"day of month", 1, 31, {}},
    {"month",
     1,
     12,
     {"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}},
    {"day of week", 0, 7, {"sun", "mon", "tue", "wed", "thu", "fri", "sat"}},
}};

std::string_view Usual(std::string_view text) {
  if (text == "@yearly" || text == "@annually") return "0 0 1 1 *";
  if (text == "@monthly") return "0 0 1 * *";
  if (text == "@weekly") return "0 0 * * 0";
  if (text == "@daily" || text == "@midnight") return "0 0 * * *";
  if (text == "@hourly") return "0 * * * *";
  return text;
}

std::vector<std::string> Split(std::string_view text, char at) {
  std::vector<std::string> parts;
  while (true) {
    const size_t end = std::min(text.find(at), text.size());
    parts.emplace_back(text.substr(0, end));
    if (end == text.size()) return parts;
    text.remove_prefix(end + 1);
  }
}

base::Error Wrong(const Field& field, std::string_view text) {
  return base::InvalidArgument(fmt::format("{}: \"{}\" is not understood", field.name, text));
}

base::Result<int> ParseNumber(const Field& field, std::string_view text) {
  for (size_t i = 0; i < field.words.size(); ++i) {
    const auto same = [](char a, char b) { return (a | 0x20) == b; };
    if (std::equal(text.begin(), text.end(), field.words[i].begin(), field.words[i].end(), same)) {
      return field.min + static_cast<int>(i);
    }
  }
  int number = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return Wrong(field, text);
  return number;
}

// "*", "5", "1-5", any of them with "/2".
base::Status AddRange(const Field& field, const std::string& text, Bits& bits) {
  const std::vector<std::string> stepped = Split(text, '/');
  const std::vector<std::string> ends = Split(stepped[0], '-');
  if (stepped.size() > 2 || ends.size() > 2) return Wrong(field, text);
  int first = field.min, last = field.max, step = 1;
  if (ends[0] != "*" && ends[0] != "?") {
    COPPICE_ASSIGN(first, ParseNumber(field, ends[0]));
    if (ends.size() == 2) {
      COPPICE_ASSIGN(last, ParseNumber(field, ends[1]));
    } else if (stepped.size() == 1) {
      last = first;
    }
  }
  if (stepped.size() == 2) {
    COPPICE_ASSIGN(step, ParseNumber({field.name, 0, 0, {}}, stepped[1]));
  }
  if (first < field.min || last > field.max || first > last || step < 1) return Wrong(field, text);
  for (int i = first; i <= last; i += step) bits.set(static_cast<size_t>(i));
  return {};
}

base::Result<Bits> ParseField(const Field& field, std::string_view text) {
  Bits bits;
  for (const std::string& part : Split(text, ',')) COPPICE_TRY(AddRange(field, part, bits));
  return bits;
}

bool IsAny(std::string_view field) { return field == "*" || field == "?"; }

std::vector<std::string> Words(std::string_view text) {
  std::vector<std::string> words = Split(text, ' ');
  std::erase(words, "");
  return words;
}

}  // namespace

base::Result<CronSchedule> CronSchedule::Parse(std::string_view text) {
  const std::vector<std::string> words = Words(Usual(text));
  if (words.size() != kFields.size()) {
    return base::InvalidArgument(fmt::format("\"{}\" is not a schedule of five fields", text));
  }
  CronSchedule schedule;
  Bits* const bits[] = {&schedule.minutes_, &schedule.hours_, &schedule.days_, &schedule.months_,
                        &schedule.weekdays_};
  for (size_t i = 0; i < kFields.size(); ++i) {
    COPPICE_ASSIGN(*bits[i], ParseField(kFields[i], words[i]));
  }
  if (schedule.weekdays_.test(7)) schedule.weekdays_.set(0);  // Sunday, too.
  schedule.any_day_ = IsAny(words[2]);
  schedule.any_weekday_ = IsAny(words[4]);
  return schedule;
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

std::optional<base::Time> CronSchedule::Last(base::Time now) const {
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

std::optional<base::Time> CronSchedule::Next(base::Time now) const {
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

}  // namespace coppice::services
