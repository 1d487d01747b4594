#pragma once

#include "kube/process/manager.h"

namespace coppice::services::workloads {

// Makes the ResourceClaims that pods ask for by a template, and releases claims whose pods are
// done: a claim that nobody uses any more gives its devices back.
void AddResourceClaimController(kube::Manager& manager);

}  // namespace coppice::services::workloads
