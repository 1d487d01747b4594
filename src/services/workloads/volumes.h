#pragma once

#include "kube/process/manager.h"

namespace coppice::services::workloads {

// Replaces Kubernetes' volume controllers and provisioners: claims are bound to existing volumes,
// or get a new one; ephemeral claims of pods are created. With a WaitForFirstConsumer class, a
// claim gets its volume once a node is selected. These volumes cannot be mounted, and every node
// can access them.
void AddVolumeControllers(kube::Manager& manager);

}  // namespace coppice::services::workloads
