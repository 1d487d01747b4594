#pragma once

#include <string>

#include "api/view/core.h"

namespace coppice::services::workloads {

// A short name for a pod template: equal templates give equal names. Letters and digits that
// spell no words, as in Kubernetes.
std::string TemplateHash(view::core::PodTemplateSpec pod_template);

}  // namespace coppice::services::workloads
