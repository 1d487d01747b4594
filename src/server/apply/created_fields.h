#pragma once

#include "server/model/request.h"

namespace coppice::server {

// The fieldsV1 of whoever creates `object`: all of it. What it says follows from the object's
// shape, that is which fields it has and which items its keyed lists name, not from their values;
// objects made from one template get one and the same value.
json::Value CreatedFields(const Request& request, const json::Value& object);

// The same, worked out anew.
json::Value ComputeCreatedFields(const Request& request, const json::Value& object);

}  // namespace coppice::server
