#pragma once

#include "api/schema/model/schema.h"
#include "cel/values/value.h"
#include "json/value.h"

namespace coppice::api {

// A document as seen by expressions. The schema, if there is one, distinguishes integers from
// floats, times and durations from strings, and sets from lists. Only copies a reference.
cel::Value ToCel(const json::Value& value, const Schema* schema);

}  // namespace coppice::api
