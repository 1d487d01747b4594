#pragma once

#include "api/resource.h"
#include "base/result.h"
#include "kube/client/client.h"

namespace coppice::services {

// Whether the cluster serves this resource at this version. While nobody can tell, neither answer
// would do: an informer of what is not served keeps everybody waiting, and a feature would be off.
base::Result<bool> IsServed(kube::Client& client, const api::Resource& resource);

}  // namespace coppice::services
