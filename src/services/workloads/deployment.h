#pragma once

#include "kube/process/manager.h"

namespace coppice::services::workloads {

// Rolls each Deployment out over ReplicaSets, one per pod template: RollingUpdate within maxSurge
// and maxUnavailable, or Recreate.
void AddDeploymentController(kube::Manager& manager);

}  // namespace coppice::services::workloads
