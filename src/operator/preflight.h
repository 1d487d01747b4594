#pragma once

#include <string>

#include "base/result.h"
#include "kube/client/client.h"
#include "operator/runtime/config.h"

namespace coppice::operators {

// What a cluster must have before the operator may start as configured: with auto-MNNVL the
// ComputeDomain CRD, without which no set of that kind could ever run.
base::Status CheckPrerequisites(kube::Client& client, const Config& config);

// Who we are to the API server.
base::Result<std::string> OwnUser(kube::Client& client);

}  // namespace coppice::operators
