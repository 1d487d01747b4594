#pragma once

#include "kube/process/manager.h"
#include "services/grouper/groups/grouper.h"

namespace coppice::services::grouper {

inline constexpr std::string_view kControllerName = "pod-grouper";

// Gives every pod of our scheduler a PodGroup.
void AddToManager(kube::Manager& manager, Options options);

}  // namespace coppice::services::grouper
