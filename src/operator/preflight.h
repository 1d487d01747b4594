#pragma once

#include <string>

#include "base/result.h"
#include "kube/client/client.h"
#include "operator/runtime/config.h"

namespace coppice::operators {

// Checks what the cluster must have before the operator may start as configured: with auto-MNNVL,
// the ComputeDomain CRD, without which such sets could never run.
base::Status CheckPrerequisites(kube::Client& client, const Config& config);

// Our user name on the API server.
base::Result<std::string> OwnUser(kube::Client& client);

}  // namespace coppice::operators
