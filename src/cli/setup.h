#pragma once

#include <string>

#include "cli/common/connect.h"

namespace coppice::cli {

struct SetupOptions {
  std::string step;  // crds, topologies, config or cleanup.
  std::string file;  // Of config.
  std::string ns;    // Of cleanup.
  ClusterFlags cluster;
};

// One step of an installation, as the chart's hooks run them. Returns the process's exit code.
int RunSetup(const SetupOptions& options);

}  // namespace coppice::cli
