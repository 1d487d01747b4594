#pragma once

#include <string>

#include "base/result.h"
#include "cli/common/connect.h"
#include "kube/client/client.h"

namespace coppice::cli {

struct SnapshotOptions {
  ClusterFlags cluster;
  std::string file;  // "-" writes standard output.
};

// Writes a cluster's scheduling state to a file that `coppice simulate` reads: nodes, queues, pods,
// PodGroups and what else the scheduler looks at. Works on any cluster; kinds that it does not
// serve are left out.
int RunSnapshot(const SnapshotOptions& options);

// The file's bytes. Environment variables, commands, the contents of ConfigMaps, and annotations
// that may repeat them are left out; Secrets are not read at all.
base::Result<std::string> TakeSnapshot(kube::Client& client);

}  // namespace coppice::cli
