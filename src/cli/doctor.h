#pragma once

#include <string>

#include "cli/common/connect.h"
#include "cli/text/output.h"

namespace coppice::cli {

struct DoctorOptions {
  ClusterFlags cluster;
  std::string config_file;  // The operator's configuration; if empty, every backend is checked.
  Format format = Format::kText;
};

// Reports what a cluster serves (versions, optional fields, permissions) and which backends can
// work there. The exit code is 0 if at least one can.
int RunDoctor(const DoctorOptions& options);

}  // namespace coppice::cli
