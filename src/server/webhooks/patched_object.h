#pragma once

#include "base/result.h"
#include "json/value.h"
#include "server/model/registry.h"

namespace coppice::server {

// The object that a webhook was shown, in the version `as`, with the webhook's JSON patch applied,
// and read as one that a client sends: fields of built-in kinds have their types, unknown ones are
// dropped. kind and apiVersion stay. Errors go to the client, whatever the failure policy.
base::Result<json::Value> PatchedObject(const ServedResource& as, const json::Value& shown,
                                        const json::Value& patch);

}  // namespace coppice::server
