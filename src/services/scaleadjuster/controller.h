#pragma once

#include "kube/process/manager.h"
#include "services/scaleadjuster/scaling_pods.h"

namespace coppice::services::scaleadjuster {

inline constexpr std::string_view kControllerName = "node-scale-adjuster";

// Makes demand for parts of GPUs visible to a cluster autoscaler.
void AddToManager(kube::Manager& manager, Options options);

}  // namespace coppice::services::scaleadjuster
