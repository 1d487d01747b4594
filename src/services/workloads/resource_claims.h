#pragma once

#include "kube/process/manager.h"

namespace coppice::services::workloads {

// Creates the ResourceClaims of pods with a claim template, and releases claims whose pods have
// ended, so that their devices become free.
void AddResourceClaimController(kube::Manager& manager);

}  // namespace coppice::services::workloads
