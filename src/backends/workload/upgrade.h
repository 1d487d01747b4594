#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "json/value.h"
#include "kube/client/client.h"

// Kubernetes 1.36 → 1.37 refuses to start while objects of the old gang API version are stored.
namespace coppice::backends::workload {

// Objects of ours (with a PodGang as controller) in one version of the gang API.
base::Result<std::vector<json::Value>> ObjectsOfVersion(kube::Client& client,
                                                        const std::string& version);
// Deletes them, PodGroups first; returns how many. The backend makes them again, in the version
// that is served by then. Finalizers of running pods may delay the end of PodGroups.
base::Result<int> DeleteObjectsOfVersion(kube::Client& client, const std::string& version);

}  // namespace coppice::backends::workload
