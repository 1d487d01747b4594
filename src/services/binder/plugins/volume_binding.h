#pragma once

#include <memory>

#include "services/binder/model/plugin.h"

namespace coppice::services::binder {

// Binds the pod's volume claims for its node before the pod itself: existing volumes are claimed,
// others requested from their provisioner, and the pod waits until all are bound or `timeout` has
// passed.
std::unique_ptr<Plugin> MakeVolumeBinding(kube::Runtime runtime, base::Duration timeout);

}  // namespace coppice::services::binder
