#include "api/grove/pod_clique_set.h"

#include <algorithm>

namespace coppice::api::grove {

bool ScalingGroupConfig::Contains(std::string_view clique) const {
  return std::find(cliqueNames.begin(), cliqueNames.end(), clique) != cliqueNames.end();
}

const PodCliqueTemplate* PodCliqueSetTemplate::FindClique(std::string_view name) const {
  for (const PodCliqueTemplate& clique : cliques) {
    if (clique.name == name) return &clique;
  }
  return nullptr;
}

const ScalingGroupConfig* PodCliqueSetTemplate::FindGroup(std::string_view name) const {
  for (const ScalingGroupConfig& group : podCliqueScalingGroups) {
    if (group.name == name) return &group;
  }
  return nullptr;
}

const ScalingGroupConfig* PodCliqueSetTemplate::GroupOf(std::string_view clique) const {
  for (const ScalingGroupConfig& group : podCliqueScalingGroups) {
    if (group.Contains(clique)) return &group;
  }
  return nullptr;
}

const ReplicaUpdate* PodCliqueSetStatus::CurrentlyUpdating() const {
  if (!updateProgress || updateProgress->currentlyUpdating.empty()) return nullptr;
  return &updateProgress->currentlyUpdating.front();
}

}  // namespace coppice::api::grove
