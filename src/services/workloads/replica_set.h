#pragma once

#include "kube/process/manager.h"

namespace coppice::services::workloads {

// Keeps spec.replicas pods of each ReplicaSet.
void AddReplicaSetController(kube::Manager& manager);

}  // namespace coppice::services::workloads
