#pragma once

#include <memory>

#include "services/binder/model/plugin.h"

namespace coppice::services::binder {

// Writes the scheduler's device allocations into the pod's resource claims, and creates the claim
// for extended resources served by devices. Conflicts are retried until `timeout`.
std::unique_ptr<Plugin> MakeDynamicResources(kube::Runtime runtime, base::Duration timeout);

}  // namespace coppice::services::binder
