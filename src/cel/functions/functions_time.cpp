#include <fmt/format.h>

#include "cel/values/function.h"

namespace coppice::cel {
namespace {

using std::chrono::days;
using std::chrono::duration_cast;
using std::chrono::floor;

Value MakeTimestamp(Arguments args, Budget&) {
  if (args[0].As<base::Time>() != nullptr) return args[0];
  if (const auto* seconds = args[0].As<int64_t>()) {
    // What nanoseconds in 64 bits can hold.
    if (*seconds > 9'000'000'000 || *seconds < -9'000'000'000) {
      return Value::MakeError("timestamp out of range");
    }
    return base::Time(std::chrono::seconds(*seconds));
  }
  const auto* text = args[0].As<std::string>();
  if (text == nullptr) return Value::NoOverload();
  const auto time = base::ParseRfc3339(*text);
  return time ? Value(*time) : Value::MakeError(time.error().message());
}

Value MakeDuration(Arguments args, Budget&) {
  if (args[0].As<base::Duration>() != nullptr) return args[0];
  const auto* text = args[0].As<std::string>();
  if (text == nullptr) return Value::NoOverload();
  const auto span = base::ParseDuration(*text);
  return span ? Value(*span) : Value::MakeError(span.error().message());
}

std::chrono::year_month_day DateOf(base::Time time) {
  return std::chrono::year_month_day(floor<days>(time));
}

int64_t DayOfYear(base::Time time) {
  const auto first = std::chrono::sys_days(DateOf(time).year() / 1 / 1);
  return (floor<days>(time) - first).count();
}

// Only UTC; a time zone argument is not supported.
enum class Part { kYear, kMonth, kDay, kDayFromOne, kWeekday, kDayOfYear };

template <Part Wanted>
Value CalendarPart(Arguments args, Budget&) {
  const auto* time = args[0].As<base::Time>();
  if (time == nullptr) return Value::NoOverload();
  const auto date = DateOf(*time);
  switch (Wanted) {
    case Part::kYear:
      return static_cast<int64_t>(static_cast<int>(date.year()));
    case Part::kMonth:
      return static_cast<int64_t>(static_cast<unsigned>(date.month())) - 1;
    case Part::kDay:
      return static_cast<int64_t>(static_cast<unsigned>(date.day())) - 1;
    case Part::kDayFromOne:
      return static_cast<int64_t>(static_cast<unsigned>(date.day()));
    case Part::kWeekday:
      return static_cast<int64_t>(std::chrono::weekday(floor<days>(*time)).c_encoding());
    case Part::kDayOfYear:
      return DayOfYear(*time);
  }
  return Value::NoOverload();
}

// Of a timestamp the part within its day, hour, …; of a duration the whole in that unit.
template <typename Unit, int64_t Within>
Value ClockPart(Arguments args, Budget&) {
  if (const auto* time = args[0].As<base::Time>()) {
    return static_cast<int64_t>(floor<Unit>(*time - floor<days>(*time)).count() % Within);
  }
  const auto* span = args[0].As<base::Duration>();
  if (span == nullptr) return Value::NoOverload();
  return static_cast<int64_t>(duration_cast<Unit>(*span).count());
}

constexpr Function kFunctions[] = {
    {"timestamp", false, 1, MakeTimestamp},
    {"duration", false, 1, MakeDuration},
    {"getFullYear", true, 1, CalendarPart<Part::kYear>},
    {"getMonth", true, 1, CalendarPart<Part::kMonth>},
    {"getDayOfMonth", true, 1, CalendarPart<Part::kDay>},
    {"getDate", true, 1, CalendarPart<Part::kDayFromOne>},
    {"getDayOfWeek", true, 1, CalendarPart<Part::kWeekday>},
    {"getDayOfYear", true, 1, CalendarPart<Part::kDayOfYear>},
    {"getHours", true, 1, ClockPart<std::chrono::hours, 24>},
    {"getMinutes", true, 1, ClockPart<std::chrono::minutes, 60>},
    {"getSeconds", true, 1, ClockPart<std::chrono::seconds, 60>},
    {"getMilliseconds", true, 1, ClockPart<std::chrono::milliseconds, 1000>},
};

}  // namespace

std::span<const Function> TimeFunctions() { return kFunctions; }

}  // namespace coppice::cel
