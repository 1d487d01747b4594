#pragma once

#include "base/result.h"
#include "server/core/core.h"

namespace coppice::server {

// The Scale of a workload: its replicas and its selector, wherever its kind keeps them.
json::Value ScaleOf(const ServedResource& served, const json::Value& object);
void SetScale(const ServedResource& served, const json::Value& scale, json::Value& object);
base::Result<Outcome> UpdateScale(Core& core, const Request& request, const json::Value& scale);

}  // namespace coppice::server
