#pragma once

#include <string>

#include "cli/common/connect.h"

namespace coppice::cli {

struct OldGangsOptions {
  ClusterFlags cluster;
  std::string version;  // Of scheduling.k8s.io: "v1alpha2".
  bool remove = false;
};

// Lists, or deletes, our gang objects in one version of Kubernetes' gang API. A cluster must hold
// none of an old version when it is upgraded to a release that has dropped it; the backend writes
// them again in the version that is served then.
int RunOldGangs(const OldGangsOptions& options);

}  // namespace coppice::cli
