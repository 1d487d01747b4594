#pragma once

#include "api/schema/model/schema.h"
#include "json/content_hash.h"
#include "json/value.h"

// What an object's fields are called, without what is in them: all that managedFields tell. Objects
// that differ in values alone have one shape, and what was worked out for one holds for the others.
namespace coppice::server {

using ShapeHash = json::ContentHash;

void AddShape(const json::Value& value, const api::Schema* schema, ShapeHash& hash);

// Which fields `now` has, or has with other values, and which it lacks: everything that decides
// what Compare finds.
void AddDifference(const json::Value& old, const json::Value& now, const api::Schema* schema,
                   ShapeHash& hash);

}  // namespace coppice::server
