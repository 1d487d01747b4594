#pragma once

#include "json/value.h"
#include "server/apply/field_set.h"

// Edits FieldsV1 of managedFields in place: a write changes few fields of objects whose managers
// own many.
namespace coppice::server {

// Both return the identical value if nothing changes.
json::Value UniteFields(const json::Value& fields, const FieldSet& more);
json::Value SubtractFields(const json::Value& fields, const FieldSet& less);

}  // namespace coppice::server
