#pragma once

#include "api/resource.h"
#include "kube/client.h"

namespace coppice::services {

// Whether the cluster serves this resource at this version. A server that cannot be asked counts as
// one that does: an informer then waits for it instead of the feature being silently off.
bool IsServed(kube::Client& client, const api::Resource& resource);

}  // namespace coppice::services
