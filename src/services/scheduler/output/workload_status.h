#pragma once

#include "kube/process/manager.h"

namespace coppice::services::scheduler {

// Writes the status of PodGroups of Kubernetes' own scheduling API, as kube-scheduler does: whether
// the group's minimum is scheduled, and why not. Only for clusters without kube-scheduler.
base::Status AddWorkloadStatus(kube::Manager& manager);

}  // namespace coppice::services::scheduler
