#pragma once

#include "kube/manager.h"

namespace coppice::services::workloads {

// Runs each Job's pods to completion: parallelism, completions, indexed jobs, backoffLimit,
// suspend, activeDeadlineSeconds, ttlSecondsAfterFinished.
void AddJobController(kube::Manager& manager);

}  // namespace coppice::services::workloads
