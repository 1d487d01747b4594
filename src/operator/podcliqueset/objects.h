#pragma once

#include <map>
#include <optional>
#include <string>

#include "api/grove/pod_clique_set.h"
#include "json/value.h"
#include "operator/runtime/config.h"

// The desired objects of a set. Each starts from the existing object, so that changes by others are
// kept.
namespace coppice::operators::podcliqueset {

using Existing = std::optional<json::Value>;

json::Value BuildServiceAccount(const api::grove::PodCliqueSet& set, const Existing& existing);
json::Value BuildRole(const api::grove::PodCliqueSet& set, const Existing& existing);
json::Value BuildRoleBinding(const api::grove::PodCliqueSet& set, const Existing& existing);
json::Value BuildTokenSecret(const api::grove::PodCliqueSet& set);
std::vector<json::Value> BuildComputeDomains(const api::grove::PodCliqueSet& set);
json::Value BuildService(const api::grove::PodCliqueSet& set, int replica,
                         const Existing& existing);
json::Value BuildScalingGroup(const Config& config, const api::grove::PodCliqueSet& set,
                              int replica, const api::grove::ScalingGroupConfig& group,
                              const Existing& existing);

// What one autoscaler scales.
struct AutoscalerTarget {
  std::string kind;
  const api::grove::AutoScalingConfig* config;
  int32_t replicas;
};
// Autoscalers by name, which is also the name of their target. Points into `set`.
std::map<std::string, AutoscalerTarget> WantedAutoscalers(const api::grove::PodCliqueSet& set);
json::Value BuildAutoscaler(const api::grove::PodCliqueSet& set, const std::string& name,
                            const AutoscalerTarget& target, const Existing& existing);

}  // namespace coppice::operators::podcliqueset
