#pragma once

#include "kube/process/manager.h"

namespace coppice::services::workloads {

// Small controllers for Job, CronJob, ReplicaSet, Deployment and StatefulSet, for the embedded
// server: they make pods, keep counts and roll out, so that everyday objects work without a
// kube-controller-manager. On a real cluster that one runs instead of these.
void AddToManager(kube::Manager& manager);

}  // namespace coppice::services::workloads
