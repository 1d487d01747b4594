#pragma once

#include "engine/model/input.h"

// The status classes that the rules use (docs/behaviour/engine.md S-21).

namespace coppice::engine {

constexpr uint32_t Bit(TaskStatus status) { return 1u << static_cast<int>(status); }

inline constexpr uint32_t kAllocatedMask = Bit(TaskStatus::kAllocated) | Bit(TaskStatus::kBinding) |
                                           Bit(TaskStatus::kBound) | Bit(TaskStatus::kRunning);
inline constexpr uint32_t kActiveMask = kAllocatedMask | Bit(TaskStatus::kPipelined);
inline constexpr uint32_t kUsedMask =
    kActiveMask | Bit(TaskStatus::kReleasing) | Bit(TaskStatus::kStuckInReleasing);
inline constexpr uint32_t kAliveMask =
    kActiveMask | Bit(TaskStatus::kPending) | Bit(TaskStatus::kGated);

constexpr bool IsAllocated(TaskStatus status) { return Bit(status) & kAllocatedMask; }
constexpr bool IsActive(TaskStatus status) { return Bit(status) & kActiveMask; }
constexpr bool IsUsed(TaskStatus status) { return Bit(status) & kUsedMask; }
constexpr bool IsAlive(TaskStatus status) { return Bit(status) & kAliveMask; }

inline constexpr int kStatusCount = static_cast<int>(TaskStatus::kUnknown) + 1;

// The number of tasks in each status.
struct StatusCounts {
  int32_t count[kStatusCount] = {};

  void Add(TaskStatus status, int by) { count[static_cast<int>(status)] += by; }
  int Of(TaskStatus status) const { return count[static_cast<int>(status)]; }
  int In(uint32_t mask) const {
    int sum = 0;
    for (int i = 0; i < kStatusCount; ++i) sum += (mask >> i & 1) ? count[i] : 0;
    return sum;
  }
  int Active() const { return In(kActiveMask); }
  int Used() const { return In(kUsedMask); }
  int Alive() const { return In(kAliveMask); }
};

}  // namespace coppice::engine
