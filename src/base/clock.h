#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <string_view>

#include "base/result.h"

namespace coppice::base {

using Duration = std::chrono::nanoseconds;
// Wall-clock time, UTC.
using Time = std::chrono::sys_time<Duration>;

// The only source of time. Real in production, virtual in tests and simulations; timers belong to
// kube::Executor, which is built on a clock.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Time Now() const = 0;
};

class RealClock final : public Clock {
 public:
  // Never goes backwards: wall-clock at construction plus the steady clock since then.
  RealClock();
  Time Now() const override;

 private:
  Time wall_start_;
  std::chrono::steady_clock::time_point steady_start_;
};

// A clock that moves only when told to. Thread-safe.
class VirtualClock final : public Clock {
 public:
  // Starts at 2026-01-01T00:00:00Z unless told otherwise.
  VirtualClock();
  explicit VirtualClock(Time start) : now_(start) {}

  Time Now() const override;
  void Advance(Duration by);
  // Moves to `time`; earlier times are ignored.
  void AdvanceTo(Time time);

 private:
  mutable std::mutex mutex_;  // Guards now_.
  Time now_;
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
