#pragma once

#include <optional>

#include "api/grove/pod_clique_set.h"
#include "json/value.h"
#include "operator/runtime/config.h"

namespace coppice::operators {

// A member clique's place: one replica of a live scaling group.
struct MemberOf {
  const json::Value& group;  // The PodCliqueScalingGroup.
  const api::grove::ScalingGroupConfig& config;
  int replica = 0;
};

// The PodClique of `clique` in replica `replica` of a set, as it should be. Starts from `existing`,
// whose replica count is kept: once a PodClique lives, its scale belongs to users and autoscalers.
json::Value BuildPodClique(const Config& config, const api::grove::PodCliqueSet& set, int replica,
                           const api::grove::PodCliqueTemplate& clique,
                           const std::optional<MemberOf>& member,
                           const std::optional<json::Value>& existing);

}  // namespace coppice::operators
