#include "base/clock.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

namespace coppice::base {
namespace {

using std::chrono::days;
using std::chrono::floor;
using std::chrono::seconds;

constexpr int64_t kNanosPerSecond = 1'000'000'000;

struct Digits {
  std::string_view rest;
  bool ok = true;

  int Take(size_t count) {
    int value = 0;
    if (rest.size() < count) return ok = false, 0;
    for (size_t i = 0; i < count; ++i) {
      if (!std::isdigit(static_cast<unsigned char>(rest[i]))) return ok = false, 0;
      value = value * 10 + (rest[i] - '0');
    }
    rest.remove_prefix(count);
    return value;
  }
  void Expect(char c) {
    if (rest.empty() || std::toupper(static_cast<unsigned char>(rest[0])) != c) {
      ok = false;
      return;
    }
    rest.remove_prefix(1);
  }
};

// Nanoseconds of ".123", leaving the rest; at least one digit must follow the point.
int64_t TakeFraction(Digits& in) {
  if (in.rest.empty() || in.rest[0] != '.') return 0;
  in.rest.remove_prefix(1);
  int64_t value = 0;
  int64_t unit = kNanosPerSecond;
  size_t count = 0;
  while (!in.rest.empty() && std::isdigit(static_cast<unsigned char>(in.rest[0]))) {
    unit /= 10;
    value += (in.rest[0] - '0') * unit;
    in.rest.remove_prefix(1);
    ++count;
  }
  in.ok = in.ok && count > 0;
  return value;
}

seconds TakeOffset(Digits& in) {
  if (in.rest.empty()) return in.ok = false, seconds(0);
  const char sign = in.rest[0];
  if (sign == 'Z' || sign == 'z') {
    in.rest.remove_prefix(1);
    return seconds(0);
  }
  if (sign != '+' && sign != '-') return in.ok = false, seconds(0);
  in.rest.remove_prefix(1);
  const int hours = in.Take(2);
  in.Expect(':');
  const int minutes = in.Take(2);
  const seconds offset(hours * 3600 + minutes * 60);
  return sign == '-' ? -offset : offset;
}

double UnitNanos(std::string_view unit) {
  if (unit == "ns") return 1;
  if (unit == "us" || unit == "\u00b5s" || unit == "\u03bcs") return 1e3;
  if (unit == "ms") return 1e6;
  if (unit == "s") return 1e9;
  if (unit == "m") return 60e9;
  if (unit == "h") return 3600e9;
  if (unit == "d") return 86400e9;
  if (unit == "w") return 7 * 86400e9;
  return 0;
}

std::string WithoutTrailingZeros(int64_t value, int64_t unit, std::string_view suffix) {
  std::string out = fmt::format("{}", value / unit);
  int64_t rest = value % unit;
  if (rest != 0) {
    out += '.';
    while (rest != 0) {
      unit /= 10;
      out += static_cast<char>('0' + rest / unit);
      rest %= unit;
    }
  }
  return out.append(suffix);
}

Duration ReadSystemClock(clockid_t clock) {
  timespec now = {};
  clock_gettime(clock, &now);
  return seconds(now.tv_sec) + Duration(now.tv_nsec);
}

}  // namespace

RealClock::RealClock() : source_(&ReadSystemClock) {}

VirtualClock::VirtualClock()
    : now_(std::chrono::sys_days{std::chrono::year{2026} / std::chrono::January / 1}) {}

Time VirtualClock::Now() const {
  std::lock_guard lock(mutex_);
  return now_;
}

Instant VirtualClock::Elapsed() const {
  std::lock_guard lock(mutex_);
  return Instant(now_.time_since_epoch() - set_by_);
}

void VirtualClock::Advance(Duration by) {
  std::lock_guard lock(mutex_);
  if (by > Duration::zero()) now_ += by;
}

void VirtualClock::AdvanceTo(Time time) {
  std::lock_guard lock(mutex_);
  if (time > now_) now_ = time;
}

void VirtualClock::AdvanceTo(Instant instant) {
  std::lock_guard lock(mutex_);
  now_ = std::max(now_, Time(instant.time_since_epoch() + set_by_));
}

void VirtualClock::Set(Time time) {
  std::lock_guard lock(mutex_);
  set_by_ += time - now_;
  now_ = time;
}

std::string FormatRfc3339(Time time) {
  struct Second {
    std::chrono::sys_seconds at{seconds(-1)};
    std::string text = "1969-12-31T23:59:59Z";
  };
  // Many things happen within one second, and most of them are written down.
  thread_local Second last;
  const auto second = floor<seconds>(time);
  if (second == last.at) return last.text;
  const auto day = floor<days>(time);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss clock{second - day};
  last = {second,
          fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(date.year()),
                      static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                      clock.hours().count(), clock.minutes().count(), clock.seconds().count())};
  return last.text;
}

std::string FormatRfc3339Micro(Time time) {
  std::string out = FormatRfc3339(time);
  const auto fraction = time - floor<seconds>(time);
  out.pop_back();
  return out + fmt::format(".{:06}Z", fraction.count() / 1000);
}

Result<Time> ParseRfc3339(std::string_view text) {
  Digits in{text};
  const int year = in.Take(4);
  in.Expect('-');
  const unsigned month = static_cast<unsigned>(in.Take(2));
  in.Expect('-');
  const unsigned day = static_cast<unsigned>(in.Take(2));
  in.Expect('T');
  const int hour = in.Take(2);
  in.Expect(':');
  const int minute = in.Take(2);
  in.Expect(':');
  const int second = in.Take(2);
  const int64_t nanos = in.ok ? TakeFraction(in) : 0;
  const seconds offset = in.ok ? TakeOffset(in) : seconds(0);
  const std::chrono::year_month_day date{std::chrono::year{year}, std::chrono::month{month},
                                         std::chrono::day{day}};
  if (!in.ok || !in.rest.empty() || !date.ok() || hour > 23 || minute > 59 || second > 60) {
    return InvalidArgument(fmt::format("\"{}\" is not an RFC 3339 time", text));
  }
  // Nanoseconds in 64 bits reach from 1677 to 2262; what lies beyond, such as Go's zero time of
  // year 1, counts as the nearest.
  if (year < 1678) return Time(std::chrono::sys_days{std::chrono::year{1678} / 1 / 1});
  if (year > 2261) return Time(std::chrono::sys_days{std::chrono::year{2261} / 12 / 31});
  return Time(std::chrono::sys_days{date}) + std::chrono::hours(hour) +
         std::chrono::minutes(minute) + seconds(second) + Duration(nanos) - offset;
}

Result<Duration> ParseDuration(std::string_view text) {
  const auto bad = [&] {
    return InvalidArgument(fmt::format("\"{}\" is not a duration such as 1h30m or 100ms", text));
  };
  std::string_view in = text;
  bool negative = false;
  if (!in.empty() && (in[0] == '-' || in[0] == '+')) {
    negative = in[0] == '-';
    in.remove_prefix(1);
  }
  if (in == "0") return Duration::zero();
  if (in.empty()) return bad();
  long double total = 0;
  while (!in.empty()) {
    size_t number = 0;
    while (number < in.size() &&
           (std::isdigit(static_cast<unsigned char>(in[number])) || in[number] == '.')) {
      ++number;
    }
    size_t end = number;
    while (end < in.size() && !std::isdigit(static_cast<unsigned char>(in[end])) &&
           in[end] != '.') {
      ++end;
    }
    const double unit = UnitNanos(in.substr(number, end - number));
    const std::string digits(in.substr(0, number));
    if (unit == 0 || digits.empty() || digits == "." ||
        std::count(digits.begin(), digits.end(), '.') > 1) {
      return bad();
    }
    total += std::stold(digits) * unit;
    in.remove_prefix(end);
  }
  if (total > static_cast<long double>(std::numeric_limits<int64_t>::max())) return bad();
  const auto nanos = static_cast<int64_t>(std::llround(total));
  return Duration(negative ? -nanos : nanos);
}

std::string FormatDuration(Duration duration) {
  int64_t nanos = duration.count();
  if (nanos == 0) return "0s";
  std::string out;
  if (nanos < 0) {
    out = "-";
    nanos = -nanos;
  }
  if (nanos < 1'000) return out + fmt::format("{}ns", nanos);
  if (nanos < 1'000'000) return out + WithoutTrailingZeros(nanos, 1'000, "\u00b5s");
  if (nanos < kNanosPerSecond) return out + WithoutTrailingZeros(nanos, 1'000'000, "ms");
  const int64_t minutes = nanos / (60 * kNanosPerSecond);
  if (minutes >= 60) out += fmt::format("{}h", minutes / 60);
  if (minutes > 0) out += fmt::format("{}m", minutes % 60);
  return out + WithoutTrailingZeros(nanos % (60 * kNanosPerSecond), kNanosPerSecond, "s");
}

}  // namespace coppice::base
