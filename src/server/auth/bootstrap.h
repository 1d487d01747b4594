#pragma once

#include "server/core/core.h"

namespace coppice::server {

// The roles and bindings every cluster has. Missing ones are created; modified ones are not
// touched.
base::Status EnsureBootstrapPolicy(Core& core);

}  // namespace coppice::server
