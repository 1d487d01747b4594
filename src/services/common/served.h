#pragma once

#include "api/resource.h"
#include "base/result.h"
#include "kube/client/client.h"

namespace coppice::services {

// Whether the cluster serves this resource at this version. An error if discovery fails, because
// neither answer is safe: an informer of an unserved resource blocks startup, and "not served"
// would turn a feature off.
base::Result<bool> IsServed(kube::Client& client, const api::Resource& resource);

}  // namespace coppice::services
