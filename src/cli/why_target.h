#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "kube/client.h"

namespace coppice::cli {

// The PodGroups behind a name: a pod's, a gang's, or those of all gangs of a set.
base::Result<std::vector<api::ObjectKey>> FindGroups(kube::Client& client, const std::string& ns,
                                                     const std::string& target);

}  // namespace coppice::cli
