#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "json/value.h"
#include "kube/client/client.h"

// One-time installation steps, which the chart's hooks run (docs/behaviour/platform.md K-100 and
// K-102). Each is idempotent.
namespace coppice::services::platform {

// Server-side applies a Config under the deployer's name. Removes annotations with which an older
// chart made the Config a hook, which would delete it.
base::Status ApplyConfig(kube::Client& client, const json::Value& config);

// Copies Kueue's Topologies to ours; an existing Topology is not changed. Returns the names of the
// copies.
base::Result<std::vector<std::string>> MigrateTopologies(kube::Client& client);

// Deletes what garbage collection does not: the Deployments of the platform operator in this
// namespace, and the Config.
base::Status CleanUp(kube::Client& client, const std::string& ns);

}  // namespace coppice::services::platform
