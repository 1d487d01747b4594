#pragma once

#include <string>
#include <vector>

namespace coppice::cli {

struct RbacOptions {
  std::string config_file;            // The operator's configuration.
  std::vector<std::string> backends;  // Only these; all enabled ones without.
  bool for_chart = false;             // The rules by backend, of all there are.
};

// Prints a ClusterRole with exactly the rights that the enabled backends need.
int RunRbac(const RbacOptions& options);

}  // namespace coppice::cli
