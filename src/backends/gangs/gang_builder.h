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

// Of any one set, scaling group or clique; more are not made. Kubernetes bears 150,000 pods in all.
inline constexpr int32_t kMostReplicas = 100'000;

// What the builder needs besides the set itself.
struct GangBuildInput {
  // Levels of the set's ClusterTopologyBinding; empty turns every constraint off.
  TopologyLevels levels;
  // Live replicas by scaling group name (`<set>-<i>-<group>`); the template's count where absent.
  std::map<std::string, int64_t> scaling_group_replicas;
  // Gangs of these replicas alone; of all where absent.
  std::optional<std::vector<int>> replicas = std::nullopt;
};

// All gangs that a PodCliqueSet asks for, base gangs first within each replica, without uids and
// pod references: one per replica with the standalone cliques and the first minAvailable replicas
// of every scaling group, then one per further scaling group replica.
std::vector<PodGangInfo> BuildGangs(const json::Value& pod_clique_set, const GangBuildInput& input);

// The replica of the set that a gang of this name belongs to; nullopt when it is not the set's.
std::optional<int> ReplicaOfGang(std::string_view set, std::string_view gang);

// Completes a gang read from a PodGang object with what only the set knows (pod specs, replicas,
// scaling groups). Groups that the set does not explain stay as they are.
void AddTemplates(const json::Value& pod_clique_set, PodGangInfo& gang);

}  // namespace coppice::backends
