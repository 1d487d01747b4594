#pragma once

#include "api/schema/model/schema.h"
#include "cel/values/value.h"
#include "json/value.h"

namespace coppice::api {

// A document as expressions see it. The schema, where there is one, tells integers from floats,
// times and durations from texts, and sets from lists. Copies nothing but a reference.
cel::Value ToCel(const json::Value& value, const Schema* schema);

}  // namespace coppice::api
