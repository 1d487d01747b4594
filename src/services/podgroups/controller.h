#pragma once

#include <string>

#include "kube/process/manager.h"

namespace coppice::services::podgroups {

inline constexpr std::string_view kControllerName = "podgroup-controller";

struct Options {
  std::string scheduler_name = "kai-scheduler";
  int workers = 10;
  // Keeps status.phase and status.conditions besides KAI's own resourcesStatus.
  bool maintain_phase = true;
};

// Keeps the status of PodGroups: requested and allocated resources, phase and conditions.
base::Status AddToManager(kube::Manager& manager, Options options);

}  // namespace coppice::services::podgroups
