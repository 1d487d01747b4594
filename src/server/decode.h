#pragma once

#include "base/result.h"
#include "json/value.h"
#include "server/request.h"

namespace coppice::server {

// A body on its way in: values have the types of their fields (for built-in kinds; custom resources
// are judged by validation), nulls and unknown fields are dropped. What was dropped is an error
// under Strict validation and a warning under Warn.
base::Status DecodeObject(const Request& request, json::Value& object);

}  // namespace coppice::server
