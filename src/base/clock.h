#pragma once

#include <time.h>

#include <chrono>
#include <mutex>
#include <string>
#include <string_view>

#include "base/result.h"

namespace coppice::base {

using Duration = std::chrono::nanoseconds;
// Wall-clock time, UTC.
using Time = std::chrono::sys_time<Duration>;

// A moment of this process: what passes between two of them has really passed. Never written down,
// never compared with a moment of another process. The one that nobody set lies long before all.
struct ElapsedTime;
using Instant = std::chrono::time_point<ElapsedTime, Duration>;

// The only source of time. Real in production, virtual in tests and simulations; timers belong to
// kube::Executor, which is built on a clock.
class Clock {
 public:
  virtual ~Clock() = default;
  // What the machine says the time is: for what is written down or compared with what was, such as
  // timestamps, tokens and certificates. It jumps, in either direction, when somebody sets the
  // clock.
  virtual Time Now() const = 0;
  // For how long something took or may take. Goes on while the machine is suspended, and does not
  // care for the time being set.
  virtual Instant Elapsed() const = 0;
};

class RealClock final : public Clock {
 public:
  // Reads one of the system's clocks, as clock_gettime does.
  using Source = Duration (*)(clockid_t clock);

  RealClock();
  // For tests.
  explicit RealClock(Source source) : source_(source) {}

  Time Now() const override { return Time(source_(CLOCK_REALTIME)); }
  Instant Elapsed() const override {
    return Instant(source_(CLOCK_BOOTTIME)) + std::chrono::years(1);  // The machine starts at zero.
  }

 private:
  const Source source_;
};

// A clock that moves only when told to. Thread-safe.
class VirtualClock final : public Clock {
 public:
  // Starts at 2026-01-01T00:00:00Z unless told otherwise.
  VirtualClock();
  explicit VirtualClock(Time start) : now_(start) {}

  Time Now() const override;
  Instant Elapsed() const override;
  void Advance(Duration by);
  // Moves to `time`; earlier times are ignored.
  void AdvanceTo(Time time);
  void AdvanceTo(Instant instant);
  // Somebody sets the clock, forward or back: no time passes.
  void Set(Time time);

 private:
  mutable std::mutex mutex_;  // Guards all below.
  Time now_;
  Duration set_by_{};  // How much of now_ has not passed.
};

// "2026-01-02T03:04:05Z", the format of metav1.Time.
std::string FormatRfc3339(Time time);
// "2026-01-02T03:04:05.000006Z", the format of metav1.MicroTime.
std::string FormatRfc3339Micro(Time time);
// Accepts fractions of a second and numeric offsets.
Result<Time> ParseRfc3339(std::string_view text);

// Go's duration syntax ("1h30m", "100ms", "-1.5s"), plus d and w units.
Result<Duration> ParseDuration(std::string_view text);
// As Go prints it: "1h30m0s", "100ms", "0s".
std::string FormatDuration(Duration duration);

}  // namespace coppice::base
