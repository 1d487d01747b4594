#pragma once

#include <memory>

#include "kube/client.h"
#include "kube/executor.h"
#include "server/core.h"

namespace coppice::server {

// A kube::Client that calls the server directly.
std::unique_ptr<kube::Client> MakeLocalClient(Core& core, kube::Executor& executor, User user);

}  // namespace coppice::server
