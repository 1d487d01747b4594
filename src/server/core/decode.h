#pragma once

#include "base/result.h"
#include "json/value.h"
#include "server/model/request.h"

namespace coppice::server {

// A body on its way in. Objects of built-in kinds are as Kubernetes would read and write them back
// (types checked, quantities in canonical form); custom resources are judged by validation. Unknown
// fields are dropped, which is an error under Strict validation and a warning under Warn.
// What the object shares with `before`, the stored object that it is a change of, is not read
// again.
base::Status DecodeObject(const Request& request, json::Value& object,
                          const json::Value* before = nullptr);

// Reads the fields that the resource's schema knows; those it does not are dropped and named in
// `unknown`. Built-in kinds are read as Kubernetes' structs; of a custom resource only its metadata
// is one.
base::Status ReadKnownFields(const ServedResource& served, const json::Value* before,
                             json::Value& object, std::vector<std::string>& unknown);

// The same checks for what a client applies, which keeps exactly the fields that the client named:
// those it will own.
base::Status DecodeApplied(const Request& request, json::Value& configuration);

}  // namespace coppice::server
