#pragma once

#include "kube/process/manager.h"

namespace coppice::services::workloads {

// Keeps each StatefulSet's numbered pods, in order or in parallel, and replaces those of an older
// template from the highest number down (RollingUpdate with partition; OnDelete leaves them).
void AddStatefulSetController(kube::Manager& manager);

}  // namespace coppice::services::workloads
