#pragma once

#include "server/core/core.h"
#include "server/wire/respond.h"

namespace coppice::server {

// /openapi/v3, /openapi/v3/… and /openapi/v2: what objects and paths look like, from the schemas.
void ServeOpenApi(Core& core, const Call& call);
// /api and /apis with everything in one document (apidiscovery.k8s.io).
void ServeAggregatedDiscovery(Core& core, const Call& call);
// "/": the list of paths.
json::Value RootPaths(Core& core);

}  // namespace coppice::server
