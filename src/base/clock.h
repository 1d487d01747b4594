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

// A point in time of this process; differences are elapsed time. Never serialized, never compared
// with another process. The default value is long before all others.
struct ElapsedTime;
using Instant = std::chrono::time_point<ElapsedTime, Duration>;

// The only source of time. Real in production, virtual in tests and simulations; timers belong to
// kube::Executor, which is built on a clock.
class Clock {
 public:
  virtual ~Clock() = default;
  // The wall clock: for what is stored or compared with stored values, such as timestamps, tokens
  // and certificates. It jumps, in either direction, when the clock is set.
  virtual Time Now() const = 0;
  // Elapsed time, for durations and timeouts. Keeps running while the machine is suspended, and is
  // not affected by setting the clock.
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

// A clock that only moves when advanced. Thread-safe.
class VirtualClock final : public Clock {
 public:
  // Starts at 2026-01-01T00:00:00Z by default.
  VirtualClock();
  explicit VirtualClock(Time start) : now_(start) {}

  Time Now() const override;
  Instant Elapsed() const override;
  void Advance(Duration by);
  // Moves to `time`; earlier times are ignored.
  void AdvanceTo(Time time);
  void AdvanceTo(Instant instant);
  // Sets the wall clock, forward or back: no time passes.
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
