#pragma once

#include "api/schema/model/schema.h"
#include "json/content_hash.h"
#include "json/value.h"

// Hash of an object's field names without their values, which is all that managedFields record.
// Objects that differ only in values have the same shape, so a result for one is valid for the
// others.
namespace coppice::server {

using ShapeHash = json::ContentHash;

void AddShape(const json::Value& value, const api::Schema* schema, ShapeHash& hash);

// Which fields of `now` are new, changed or missing: everything that decides the result of Compare.
void AddDifference(const json::Value& old, const json::Value& now, const api::Schema* schema,
                   ShapeHash& hash);

}  // namespace coppice::server
