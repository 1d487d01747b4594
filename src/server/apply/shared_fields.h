#pragma once

#include "json/value.h"

namespace coppice::server {

// The same fieldsV1, with its parts shared with those of other objects: what fares alike is owned
// alike, and would otherwise be kept once per object.
json::Value ShareFields(json::Value fields);

}  // namespace coppice::server
