#pragma once

#include <vector>

#include "backends/framework/backend.h"
#include "kube/client/client.h"

namespace coppice::backends {

// Discovers which of these resources a server serves and which of their optional fields it keeps:
// from the schema for custom resources, by a dry-run create of the use's canary for built-in ones,
// which silently drop gated fields. Fails if the server cannot be reached at all; that a resource
// is not served is not an error. If only the request about one resource fails, what `before` says
// about it is kept (Capabilities::complete).
base::Result<Capabilities> Discover(kube::Client& client, const std::vector<ResourceUse>& uses,
                                    const Capabilities& before = {});

// Reads the documents that uses of served resources name. A document that cannot be read right now
// keeps its old value; a document that we may not read counts as absent.
void ReadDocuments(kube::Client& client, const std::vector<ResourceUse>& uses,
                   Capabilities& capabilities);

}  // namespace coppice::backends
