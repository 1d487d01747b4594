#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/text/output.h"
#include "json/value.h"

namespace coppice::cli {

struct ReplayOptions {
  std::string file;    // A decision log.
  std::string config;  // Another scheduler configuration to compare with.
  std::string until;   // RFC 3339: stops before the first cycle after it.
  std::string pod;     // [NAMESPACE/]NAME: stops after the first decision about it.
  bool all = false;    // Also shows cycles without decisions.
  Format format = Format::kText;
};

inline constexpr int kReplayDiffers = 1;
inline constexpr int kReplayFailed = 2;

// Steps through a decision log, decides every cycle again, and stops at the first difference.
// Returns 0 if there is none, kReplayDiffers, or kReplayFailed if the log is damaged or cannot be
// read.
int RunReplay(const ReplayOptions& options);

// The same with the log's bytes.
base::Result<json::Value> ReadReplay(std::string_view bytes, const ReplayOptions& options);
std::string FormatReplay(const json::Value& replay);

}  // namespace coppice::cli
