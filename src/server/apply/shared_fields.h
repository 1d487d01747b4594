#pragma once

#include "json/value.h"

namespace coppice::server {

// The same fieldsV1, with parts shared between objects: objects with the same history have equal
// owners, which would otherwise be stored once per object.
json::Value ShareFields(json::Value fields);

}  // namespace coppice::server
