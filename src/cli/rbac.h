#pragma once

#include <string>
#include <vector>

namespace coppice::cli {

struct RbacOptions {
  std::string config_file;            // The operator's configuration.
  std::vector<std::string> backends;  // Only these; if empty, all enabled ones.
  bool for_chart = false;             // Print the rules by backend, for all backends.
};

// Prints a ClusterRole with exactly the permissions that the enabled backends need.
int RunRbac(const RbacOptions& options);

}  // namespace coppice::cli
