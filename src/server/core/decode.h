#pragma once

#include "base/result.h"
#include "json/value.h"
#include "server/model/request.h"

namespace coppice::server {

// Decodes a request body. Objects of built-in kinds become what Kubernetes would decode and encode
// (types checked, quantities in canonical form); custom resources are checked by validation.
// Unknown fields are dropped, which is an error under Strict validation and a warning under Warn.
// Parts shared with `before`, the stored object being changed, are not decoded again.
base::Status DecodeObject(const Request& request, json::Value& object,
                          const json::Value* before = nullptr);

// Keeps the fields in the resource's schema; others are dropped and listed in `unknown`. Built-in
// kinds are decoded like Kubernetes' structs; for a custom resource only its metadata is.
base::Status ReadKnownFields(const ServedResource& served, const json::Value* before,
                             json::Value& object, std::vector<std::string>& unknown);

// The same checks for an apply configuration, which keeps exactly the client's fields: those it
// will own.
base::Status DecodeApplied(const Request& request, json::Value& configuration);

}  // namespace coppice::server
