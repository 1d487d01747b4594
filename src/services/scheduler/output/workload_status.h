#pragma once

#include "kube/process/manager.h"

namespace coppice::services::scheduler {

// Reports on PodGroups of Kubernetes' own scheduling API, as kube-scheduler does: whether the
// group's minimum found its place, and why not. Only where nobody else schedules.
base::Status AddWorkloadStatus(kube::Manager& manager);

}  // namespace coppice::services::scheduler
