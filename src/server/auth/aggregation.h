#pragma once

#include "server/core/core.h"

namespace coppice::server {

// Fills the rules of every aggregated ClusterRole. Called when a ClusterRole has changed.
void AggregateClusterRoles(Core& core);

}  // namespace coppice::server
