#pragma once

#include <string_view>

#include "base/result.h"
#include "json/value.h"

namespace coppice::server {

// An object of a built-in kind from Kubernetes' protobuf encoding, as JSON would have it. Clients
// made with client-go 1.33 and later write built-in kinds this way by default, and also read JSON.
// UnsupportedMedia for malformed input or an unknown kind.
base::Result<json::Value> DecodeProtobuf(std::string_view body);

}  // namespace coppice::server
