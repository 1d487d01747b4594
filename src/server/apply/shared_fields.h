#pragma once

#include "json/value.h"

namespace coppice::server {

// The same fieldsV1, with parts shared between objects: objects with the same history have equal
// owners, which would otherwise be stored once per object.
json::Value ShareFields(json::Value fields);

// Whether they are not worth remembering: what is remembered stays until others push it out, and a
// user can make up thousands of objects of any size.
bool IsLargeToKeep(const json::Value& fields);

}  // namespace coppice::server
