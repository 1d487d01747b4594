#pragma once

#include "base/result.h"
#include "server/model/registry.h"
#include "server/wire/request_info.h"

namespace coppice::server {

// Matches method, scope, resource, subresource and name of a request against what is served: the
// only way to anything that acts on resources. A request that passes has a verb that discovery
// lists for the resource or subresource, and its attributes are exactly what is acted on:
//
//   - a namespace stands before namespaced resources, and before no others; without one, those can
//     only be listed and watched as a whole;
//   - list, create and deletecollection have no name in the path, get, update, patch and delete do.
//
// Null if the response is not JSON, because no built-in group has this name. Otherwise kNotFound
// for a path that is not served, kMethodNotAllowed for a served path with another method,
// kInvalidArgument for an invalid object name.
base::Result<ServedPtr> FindRoute(const Registry& registry, const RequestInfo& info);

// Whether built-in resources have this group.
bool IsBuiltinGroup(const Registry& registry, std::string_view group);

}  // namespace coppice::server
