#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "json/value.h"
#include "kube/client/client.h"

// What an installation does once, before or after the rest: the steps that the chart's hooks run
// (docs/behaviour/platform.md K-100 and K-102). Each may be repeated.
namespace coppice::services::platform {

// Server-side applies a Config under the deployer's name. Annotations by which an older chart made
// the Config a hook, and would have it deleted, are taken off.
base::Status ApplyConfig(kube::Client& client, const json::Value& config);

// Copies Kueue's Topologies to ours; a Topology that is there already stays as it is. Returns the
// names of the copies.
base::Result<std::vector<std::string>> MigrateTopologies(kube::Client& client);

// Removes what no owner takes along: the Deployments of the platform operator in this namespace,
// and the Config.
base::Status CleanUp(kube::Client& client, const std::string& ns);

}  // namespace coppice::services::platform
