#pragma once

#include <map>
#include <string>
#include <string_view>

#include "kube/process/manager.h"

namespace coppice::services::queues {

inline constexpr std::string_view kControllerName = "queue-controller";

struct Options {
  std::string metrics_namespace = "kai";
  std::map<std::string, std::string> label_to_metric_label;  // Queue label → metric label.
  std::map<std::string, std::string> label_to_default_value;
};

// Sums what every queue's pod groups and child queues hold, and exports it as metrics.
void AddToManager(kube::Manager& manager, Options options);

}  // namespace coppice::services::queues
