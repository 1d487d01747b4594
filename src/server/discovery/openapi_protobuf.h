#pragma once

#include <string>

#include "json/value.h"

namespace coppice::server {

// A Swagger 2.0 document in the protobuf form that older kubectls insist on
// (application/com.github.proto-openapi.spec.v2@v1.0+protobuf). Only the parts that clients read:
// info, definitions, and the parameters of patches.
std::string EncodeOpenApiV2(const json::Value& document);

}  // namespace coppice::server
