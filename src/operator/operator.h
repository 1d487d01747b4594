#pragma once

#include <memory>

#include "backends/sync/component.h"
#include "base/result.h"
#include "kube/process/manager.h"
#include "operator/runtime/config.h"

namespace coppice::operators {

// Adds the operator's controllers (PodCliqueSet → PodCliques, scaling groups, PodGangs, gated pods)
// to a manager that has not started. What they need lives as long as the manager. The backends'
// own controllers are added with backends::AddToManager, here or in another process.
base::Status AddToManager(kube::Manager& manager, const Config& config,
                          std::shared_ptr<backends::Backends> backends);

// The same with backends made from the configuration, their controllers included.
base::Status AddToManager(kube::Manager& manager, const Config& config);

}  // namespace coppice::operators
