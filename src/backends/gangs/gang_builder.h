#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/model/gang_info.h"
#include "backends/model/topology.h"

namespace coppice::backends {

// Upper limit for one set, scaling group or clique. Kubernetes supports 150,000 pods in total.
inline constexpr int32_t kMostReplicas = 100'000;

// What the builder needs besides the set itself.
struct GangBuildInput {
  // Levels of the set's ClusterTopologyBinding; if empty, all constraints are disabled.
  TopologyLevels levels;
  // Live replicas by scaling group name (`<set>-<i>-<group>`); the template's count if absent.
  std::map<std::string, int64_t> scaling_group_replicas;
  // Build only the gangs of these replicas; all if absent.
  std::optional<std::vector<int>> replicas = std::nullopt;
};

// All gangs that a PodCliqueSet asks for, without uids and pod references, base gangs first within
// each replica: one per replica with the standalone cliques and the first minAvailable replicas of
// every scaling group, then one per further scaling group replica.
std::vector<PodGangInfo> BuildGangs(const json::Value& pod_clique_set, const GangBuildInput& input);

// The set replica that a gang of this name belongs to; nullopt if the gang does not belong to the
// set.
std::optional<int> ReplicaOfGang(std::string_view set, std::string_view gang);

// Completes a gang that was read from a PodGang with what only the set knows (pod specs, replicas,
// scaling groups). Groups that are not in the set stay as they are.
void AddTemplates(const json::Value& pod_clique_set, PodGangInfo& gang);

}  // namespace coppice::backends
