#pragma once

#include <string>
#include <string_view>

#include "api/schema/model/schema.h"

namespace coppice::api {

// What an expression calls a property: the characters that names cannot have are escaped
// (a__dash__b, a__dot__b, a__slash__b, a__underscores__b), words of the language are enclosed
// (__namespace__).
std::string CelNameOf(std::string_view property);
// The property that the expression means; the name itself when it is not escaped.
std::string PropertyOfCelName(const Schema& schema, std::string_view name);

}  // namespace coppice::api
