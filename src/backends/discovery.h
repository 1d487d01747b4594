#pragma once

#include <vector>

#include "backends/backend.h"
#include "kube/client.h"

namespace coppice::backends {

// Finds out which of these resources a server serves, and which of their optional fields it keeps:
// from the schema for custom resources, by a dry-run create of the use's canary for built-in ones,
// whose gated fields are dropped without a word. Fails when the server cannot be asked; a resource
// that is not there is an answer.
base::Result<Capabilities> Discover(kube::Client& client, const std::vector<ResourceUse>& uses);

}  // namespace coppice::backends
