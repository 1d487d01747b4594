#pragma once

#include "base/result.h"
#include "server/model/registry.h"
#include "server/wire/request_info.h"

namespace coppice::server {

// Compares method, scope, resource, subresource and name of a request with what is served: the one
// gate to everything that acts on resources. What passes has a verb that the resource, or the
// subresource, lists in discovery, and its attributes are what is acted on:
//
//   - a namespace stands before namespaced resources, and before no others; without one, those can
//     only be listed and watched as a whole;
//   - list, create and deletecollection have no name in the path, get, update, patch and delete do.
//
// Null where nobody answers in JSON, as no built-in group has this name. Otherwise kNotFound for a
// path that is not served, kMethodNotAllowed for one that is, by another method, kInvalidArgument
// for a name that no object can have.
base::Result<ServedPtr> FindRoute(const Registry& registry, const RequestInfo& info);

// Whether built-in resources have this group.
bool IsBuiltinGroup(const Registry& registry, std::string_view group);

}  // namespace coppice::server
