#pragma once

#include <string>

#include "cli/common/connect.h"

namespace coppice::cli {

struct OldGangsOptions {
  ClusterFlags cluster;
  std::string version;  // The version of scheduling.k8s.io: "v1alpha2".
  bool remove = false;
};

// Lists or deletes our gang objects in one version of Kubernetes' gang API. A cluster must not
// contain any of an old version when it is upgraded to a release without that version. The backend
// writes them again in the version that is served then.
int RunOldGangs(const OldGangsOptions& options);

}  // namespace coppice::cli
