#pragma once

#include <string>

#include "cli/text/output.h"

namespace coppice::cli {

struct SimulateOptions {
  std::string file;     // A snapshot from KAI's snapshot plugin or ours.
  std::string actions;  // Comma-separated; "" uses the snapshot's.
  std::string config;   // A scheduler configuration file that replaces the snapshot's.
  std::string now;      // RFC 3339; "" is the newest time in the snapshot.
  int cycles = 1;
  std::string explain;  // [NAMESPACE/]GROUP.
  bool durations = false;
  Format format = Format::kText;
};

// Runs the engine on a recorded cluster and prints its decisions.
int RunSimulate(const SimulateOptions& options);

}  // namespace coppice::cli
