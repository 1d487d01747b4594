#pragma once

#include "kube/process/manager.h"

namespace coppice::services::workloads {

// Stands in for Kubernetes' volume controllers and for whoever makes volumes: claims are bound to
// volumes that are there, or get one made; claims that pods bring along are made for them. Of a
// class that waits for its first consumer, a claim gets its volume once a node was selected. Nobody
// could mount these volumes, and every node reaches them.
void AddVolumeControllers(kube::Manager& manager);

}  // namespace coppice::services::workloads
