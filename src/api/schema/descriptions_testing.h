#pragma once

#include "json/value.h"

namespace coppice::api {

// A schema without its descriptions.
json::Value WithoutDescriptions(const json::Value& schema);

}  // namespace coppice::api
