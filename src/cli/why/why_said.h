#pragma once

#include <optional>
#include <vector>

#include "base/result.h"
#include "engine/model/explanation.h"
#include "json/value.h"
#include "kube/client/client.h"

namespace coppice::cli {

// Explanations from the status of gangs, PodGroups and pods, for those that our scheduler does not
// know and for users who may not read everything that it reads.
engine::Explanation WhatTheGangSays(const json::Value& gang);
engine::Explanation WhatTheGroupSays(const json::Value& group);
base::Result<engine::Explanation> WhatThePodSays(kube::Client& client, const json::Value& pod);
// For a gang with gated pods; nullopt if Kueue holds none of them. Workloads belong to the gang, or
// to its pods if Kueue creates them.
base::Result<std::optional<engine::Explanation>> WhatKueueSays(
    kube::Client& client, const json::Value& gang, const std::vector<json::Value>& pods);

}  // namespace coppice::cli
