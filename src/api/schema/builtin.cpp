#include "api/schema/builtin.h"

namespace coppice::api {

json::Value BuiltinSchema(std::string_view) { return {}; }

}  // namespace coppice::api
