#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "json/value.h"
#include "kube/client/client.h"

// Kubernetes 1.37 refuses to start after an upgrade from 1.36 while objects of the old gang API
// version are stored.
namespace coppice::backends::workload {

// Our objects (with a PodGang as controller) in one version of the gang API.
base::Result<std::vector<json::Value>> ObjectsOfVersion(kube::Client& client,
                                                        const std::string& version);
// Deletes them, PodGroups first, and returns how many. The backend recreates them in the version
// that is served then. Finalizers of running pods may delay the deletion of PodGroups.
base::Result<int> DeleteObjectsOfVersion(kube::Client& client, const std::string& version);

}  // namespace coppice::backends::workload
