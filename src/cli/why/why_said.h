#pragma once

#include "base/result.h"
#include "engine/explain/explain.h"
#include "json/value.h"
#include "kube/client/client.h"

namespace coppice::cli {

// What stands written about gangs, PodGroups and pods that our scheduler does not know, or that
// somebody asks about who may not see all that it sees.
engine::Explanation WhatTheGangSays(const json::Value& gang);
engine::Explanation WhatTheGroupSays(const json::Value& group);
base::Result<engine::Explanation> WhatThePodSays(kube::Client& client, const json::Value& pod);

}  // namespace coppice::cli
