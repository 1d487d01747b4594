#pragma once

#include <map>
#include <string>
#include <vector>

#include "backends/gang_info.h"
#include "backends/topology.h"

namespace coppice::backends {

// What the builder needs besides the set itself.
struct GangBuildInput {
  // Levels of the set's ClusterTopologyBinding; empty turns every constraint off.
  TopologyLevels levels;
  // Live replicas by scaling group name (`<set>-<i>-<group>`); the template's count where absent.
  std::map<std::string, int64_t> scaling_group_replicas;
};

// All gangs that a PodCliqueSet asks for, base gangs first within each replica, without uids and
// pod references: one per replica with the standalone cliques and the first minAvailable replicas
// of every scaling group, then one per further scaling group replica.
std::vector<PodGangInfo> BuildGangs(const json::Value& pod_clique_set, const GangBuildInput& input);

// Completes a gang read from a PodGang object with what only the set knows (pod specs, replicas,
// scaling groups). Groups that the set does not explain stay as they are.
void AddTemplates(const json::Value& pod_clique_set, PodGangInfo& gang);

}  // namespace coppice::backends
