#pragma once

#include "json/value.h"
#include "server/apply/field_set.h"

// Sets of fields in the form that managedFields have them in (FieldsV1), changed in place: a write
// changes few fields of objects whose managers own many.
namespace coppice::server {

// Both give back the very same value when nothing changes.
json::Value UniteFields(const json::Value& fields, const FieldSet& more);
json::Value SubtractFields(const json::Value& fields, const FieldSet& less);

}  // namespace coppice::server
