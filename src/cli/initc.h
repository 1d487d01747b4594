#pragma once

#include <string>
#include <vector>

#include "cli/common/connect.h"

namespace coppice::cli {

struct InitcOptions {
  std::vector<std::string> pod_cliques;              // "<PodClique>:<count>".
  std::string pod_info_dir = "/var/grove/pod-info";  // Holds `namespace` and `podgangname`.
  ClusterFlags cluster;                              // Unset: the pod's own service account.
};

// The init container. Exits with 0 when every PodClique has the required number of ready pods in
// this pod's gang, and with 1 on bad arguments and on SIGINT or SIGTERM. A second signal ends it
// immediately.
int RunInitc(const InitcOptions& options);

}  // namespace coppice::cli
