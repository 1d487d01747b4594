#pragma once

#include <map>
#include <string>
#include <vector>

#include "services/admission/placement_rules.h"

namespace coppice::services::admission {

// The admission service's flags.
struct Options {
  std::string scheduler_name = "kai-scheduler";
  bool gpu_sharing_enabled = false;
  bool hami_core_enabled = false;
  bool block_nvidia_visible_devices = false;
  std::string gpu_fraction_runtime_class_name = "nvidia";  // Empty: not set.
  bool quota_validation = false;                           // Of queues: warnings only.
  bool guard_queue_deletion = false;
  // Ours, off by default: scheduler name and queue by namespace.
  PlacementRules placement;
};

}  // namespace coppice::services::admission
