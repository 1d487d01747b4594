#pragma once

#include <string_view>

#include "api/schema/model/schema.h"

namespace coppice::api {

// "object", "array", …; empty for any type.
std::string_view TypeName(SchemaType type);

}  // namespace coppice::api
