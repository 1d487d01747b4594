#pragma once

#include <string>

#include "cli/common/connect.h"
#include "cli/common/output.h"

namespace coppice::cli {

struct DoctorOptions {
  ClusterFlags cluster;
  std::string config_file;  // The operator's configuration; every backend without one.
  Format format = Format::kText;
};

// Says what a cluster serves (versions, optional fields, rights) and which backends can work
// there. The exit code is 0 when at least one can.
int RunDoctor(const DoctorOptions& options);

}  // namespace coppice::cli
