#pragma once

#include <string>

#include "api/schema/schema.h"
#include "cel/program.h"

namespace coppice::api {

// The first field that a rule reads although the schema does not have it, as
// "1:5: undefined field 'b'"; "" when all are there. Follows self and oldSelf, their lists' items
// in comprehensions, and nothing whose type is open.
std::string UndefinedField(const cel::Program& program, const Schema& self);

}  // namespace coppice::api
