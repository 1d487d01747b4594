#pragma once

#include <string>
#include <string_view>

#include "api/schema/model/schema.h"
#include "cel/program.h"

namespace coppice::api {

// The first thing that a rule gets wrong about its schema, as "1:5: undefined field 'b'"; "" when
// there is none: fields that are not there, operators between types that never meet, a result that
// is not `result` ("bool"). Follows self and oldSelf, their lists' items in comprehensions, and
// nothing whose type is open.
std::string TypeProblem(const cel::Program& program, const Schema& self, std::string_view result);

}  // namespace coppice::api
