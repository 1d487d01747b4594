#pragma once

#include <string>

#include "cli/common/connect.h"

namespace coppice::cli {

struct SetupOptions {
  std::string step;  // crds, topologies, config or cleanup.
  std::string file;  // For config.
  std::string ns;    // For cleanup.
  ClusterFlags cluster;
};

// One step of an installation, run by the chart's hooks. Returns the process's exit code.
int RunSetup(const SetupOptions& options);

}  // namespace coppice::cli
