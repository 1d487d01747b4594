#include "services/scheduler/usage/cron.h"

#include <bitset>
#include <charconv>
#include <vector>

namespace coppice::services::scheduler {
namespace {

using std::chrono::days;
using std::chrono::floor;
using std::chrono::minutes;

struct Field {
  std::bitset<64> values;
  bool any = false;  // "*".
};

std::optional<int> ReadInt(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

bool AddPart(std::string_view part, int low, int high, Field& field) {
  int step = 1;
  if (const size_t slash = part.find('/'); slash != part.npos) {
    const auto parsed = ReadInt(part.substr(slash + 1));
    if (!parsed || *parsed == 0) return false;
    step = *parsed;
    part = part.substr(0, slash);
  } else {
    field.any = field.any || part == "*";
  }
  int first = low, last = high;
  if (part != "*") {
    const size_t dash = part.find('-');
    const auto from = ReadInt(part.substr(0, dash));
    const auto to = dash == part.npos ? from : ReadInt(part.substr(dash + 1));
    if (!from || !to || *from < low || *to > high || *from > *to) return false;
    first = *from;
    last = *to;
  }
  for (int value = first; value <= last; value += step) field.values.set(value);
  return true;
}

std::optional<Field> ReadField(std::string_view text, int low, int high) {
  Field field;
  while (!text.empty()) {
    const size_t comma = text.find(',');
    if (!AddPart(text.substr(0, comma), low, high, field)) return std::nullopt;
    if (comma == text.npos) return field;
    text.remove_prefix(comma + 1);
  }
  return std::nullopt;
}

struct Cron {
  Field minute, hour, day, month, weekday;

  bool OnDay(std::chrono::sys_days date) const {
    const std::chrono::year_month_day parts(date);
    if (!month.values.test(static_cast<unsigned>(parts.month()))) return false;
    const bool by_day = day.values.test(static_cast<unsigned>(parts.day()));
    const bool by_weekday = weekday.values.test(std::chrono::weekday(date).c_encoding());
    if (day.any || weekday.any) return by_day && by_weekday;
    return by_day || by_weekday;
  }
};

std::optional<Cron> ReadCron(std::string_view line) {
  std::vector<std::string_view> texts;
  while (!line.empty()) {
    const size_t start = line.find_first_not_of(' ');
    if (start == line.npos) break;
    line.remove_prefix(start);
    const size_t end = std::min(line.find(' '), line.size());
    texts.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
  if (texts.size() != 5) return std::nullopt;
  const auto minute = ReadField(texts[0], 0, 59), hour = ReadField(texts[1], 0, 23),
             day = ReadField(texts[2], 1, 31), month = ReadField(texts[3], 1, 12);
  auto weekday = ReadField(texts[4], 0, 7);
  if (!minute || !hour || !day || !month || !weekday) return std::nullopt;
  if (weekday->values.test(7)) weekday->values.set(0);
  return Cron{*minute, *hour, *day, *month, *weekday};
}

}  // namespace

std::optional<base::Time> LastCronTime(std::string_view line, base::Time now) {
  const std::optional<Cron> cron = ReadCron(line);
  if (!cron) return std::nullopt;
  const auto today = floor<days>(std::chrono::sys_time<base::Duration>(now.time_since_epoch()));
  const int64_t current = floor<minutes>(now.time_since_epoch() - today.time_since_epoch()).count();
  for (int back = 0; back <= 8 * 366; ++back) {
    const auto date = today - days(back);
    if (!cron->OnDay(date)) continue;
    for (int64_t minute = back == 0 ? current : 24 * 60 - 1; minute >= 0; --minute) {
      if (!cron->hour.values.test(minute / 60) || !cron->minute.values.test(minute % 60)) continue;
      return base::Time(std::chrono::duration_cast<base::Duration>(date.time_since_epoch())) +
             minutes(minute);
    }
  }
  return std::nullopt;
}

}  // namespace coppice::services::scheduler
