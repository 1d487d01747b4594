#pragma once

#include <string_view>

#include "json/value.h"

namespace coppice::api {

// The structural OpenAPI schema of a built-in type, by group, version and name ("core/v1 PodSpec",
// "autoscaling/v2 MetricSpec", "meta/v1 Condition"). Null when the tables do not know it.
json::Value BuiltinSchema(std::string_view type);

}  // namespace coppice::api
