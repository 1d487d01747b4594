#pragma once

#include "base/result.h"
#include "json/value.h"
#include "kube/client.h"

namespace coppice::cli {

// What stands written about gangs, PodGroups and pods that our scheduler does not know, or that
// somebody asks about who may not see all that it sees, in the form of ReadWhy's answers.
json::Value WhatTheGangSays(const json::Value& gang);
json::Value WhatTheGroupSays(const json::Value& group);
base::Result<json::Value> WhatThePodSays(kube::Client& client, const json::Value& pod);

}  // namespace coppice::cli
