#pragma once

#include <memory>

#include "kube/client/client.h"
#include "kube/executor/executor.h"
#include "server/core/core.h"

namespace coppice::server {

// A kube::Client that calls the server directly.
std::unique_ptr<kube::Client> MakeLocalClient(Core& core, kube::Executor& executor, User user);

}  // namespace coppice::server
