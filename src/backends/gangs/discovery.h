#pragma once

#include <vector>

#include "backends/framework/backend.h"
#include "kube/client/client.h"

namespace coppice::backends {

// Finds out which of these resources a server serves, and which of their optional fields it keeps:
// from the schema for custom resources, by a dry-run create of the use's canary for built-in ones,
// whose gated fields are dropped without a word. Fails when the server cannot be asked at all; a
// resource that is not there is an answer. About a resource that it cannot be asked about alone,
// what is known from `before` stands (Capabilities::complete).
base::Result<Capabilities> Discover(kube::Client& client, const std::vector<ResourceUse>& uses,
                                    const Capabilities& before = {});

// The documents that uses of served resources name, as they are now. What cannot be read just now
// stays as it was; what may not be read is as good as absent.
void ReadDocuments(kube::Client& client, const std::vector<ResourceUse>& uses,
                   Capabilities& capabilities);

}  // namespace coppice::backends
