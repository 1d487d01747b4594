#pragma once

#include <cstdint>
#include <string>
#include <string_view>

// The decision log's file: a header line, then frames of a length, a CRC-32 of the rest, a kind and
// a payload; numbers are 32 bits, little-endian.
namespace coppice::services::scheduler::log_format {

inline constexpr std::string_view kHeader = "coppice decision log 1\n";
inline constexpr uint32_t kFrameHead = 8;           // Length and checksum.
inline constexpr uint32_t kLongestFrame = 1 << 30;  // Longer ones are damage.

inline constexpr char kSettings = 'S';  // The scheduler's settings, as a snapshot without objects.
inline constexpr char kState = 'K';     // MoreSettings, then recorded input: the whole state.
inline constexpr char kCycle = 'C';     // Length of the input, input, RecordedCycle.

// Settings that snapshots do not hold.
struct MoreSettings {
  int64_t surplus_delay = 0;
  uint64_t seed = 1;
  bool dra_available = true;
  int64_t assumed_gpu_memory = 0;
  std::string reservation_app_label, cpu_worker_label, gpu_worker_label, mig_worker_label;
};

uint32_t Checksum(char kind, std::string_view payload);

}  // namespace coppice::services::scheduler::log_format
