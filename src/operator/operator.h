#pragma once

#include <memory>

#include "backends/sync/component.h"
#include "base/result.h"
#include "kube/process/manager.h"
#include "operator/runtime/config.h"

namespace coppice::operators {

// Adds the operator's controllers (PodCliqueSet → PodCliques, scaling groups, PodGangs, gated pods)
// to a manager that has not started. Their state lives as long as the manager. Add the backends'
// controllers with backends::AddToManager, in this process or another one.
base::Status AddToManager(kube::Manager& manager, const Config& config,
                          std::shared_ptr<backends::Backends> backends);

// Creates the backends from the configuration and adds their controllers too.
base::Status AddToManager(kube::Manager& manager, const Config& config);

}  // namespace coppice::operators
