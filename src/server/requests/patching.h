#pragma once

#include "base/result.h"
#include "json/value.h"
#include "kube/client/client.h"
#include "server/model/registry.h"

namespace coppice::server {

// The object after a JSON, merge or strategic merge patch.
base::Result<json::Value> ApplyPatch(const ServedResource& served, kube::PatchType type,
                                     const json::Value& object, const json::Value& patch);

}  // namespace coppice::server
