#pragma once

#include "kube/process/manager.h"

namespace coppice::services::workloads {

// Small controllers for Job, CronJob, ReplicaSet, Deployment and StatefulSet, for the embedded
// server: they create pods, maintain counts and roll out updates, so that everyday objects work
// without a kube-controller-manager. A real cluster runs kube-controller-manager instead.
void AddToManager(kube::Manager& manager);

}  // namespace coppice::services::workloads
