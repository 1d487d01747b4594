#pragma once

#include <string>

#include "cli/common/output.h"

namespace coppice::cli {

struct SimulateOptions {
  std::string file;     // A snapshot of KAI's snapshot plugin, or ours.
  std::string actions;  // Comma-separated; "" as in the snapshot.
  std::string config;   // A scheduler configuration file instead of the snapshot's.
  std::string now;      // RFC 3339; "" is the newest time in the snapshot.
  int cycles = 1;
  std::string explain;  // [NAMESPACE/]GROUP.
  bool durations = false;
  Format format = Format::kText;
};

// Runs the engine on a recorded cluster and prints what it decides.
int RunSimulate(const SimulateOptions& options);

}  // namespace coppice::cli
