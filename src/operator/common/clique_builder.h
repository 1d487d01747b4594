#pragma once

#include <optional>

#include "api/grove/pod_clique_set.h"
#include "json/value.h"
#include "operator/runtime/config.h"

namespace coppice::operators {

// The position of a member clique: one replica of a live scaling group.
struct MemberOf {
  const json::Value& group;  // The PodCliqueScalingGroup.
  const api::grove::ScalingGroupConfig& config;
  int replica = 0;
};

// The desired PodClique for `clique` in replica `replica` of a set. Starts from `existing` and
// keeps its replica count: once a PodClique exists, its scale belongs to users and autoscalers.
json::Value BuildPodClique(const Config& config, const api::grove::PodCliqueSet& set, int replica,
                           const api::grove::PodCliqueTemplate& clique,
                           const std::optional<MemberOf>& member,
                           const std::optional<json::Value>& existing);

}  // namespace coppice::operators
