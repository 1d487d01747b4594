#pragma once

#include "json/value.h"
#include "kube/process/manager.h"

namespace coppice::services::workloads {

// Runs each Job's pods to completion: parallelism, completions, indexed jobs, backoffLimit,
// suspend, activeDeadlineSeconds, ttlSecondsAfterFinished.
void AddJobController(kube::Manager& manager);

// Complete or failed.
bool IsFinishedJob(const json::Value& job);

}  // namespace coppice::services::workloads
