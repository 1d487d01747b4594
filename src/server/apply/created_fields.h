#pragma once

#include "server/model/request.h"

namespace coppice::server {

// The fieldsV1 of the creator of `object`: all fields. It depends only on the object's shape (which
// fields it has, and the keys of its list items), not on values, so objects from one template share
// one value.
json::Value CreatedFields(const Request& request, const json::Value& object);

// The same, computed without the cache.
json::Value ComputeCreatedFields(const Request& request, const json::Value& object);

}  // namespace coppice::server
