#include "operator/common/startup.h"

#include "operator/common/names.h"

namespace coppice::operators {
namespace {

using api::grove::PodCliqueSetTemplate;
using api::grove::ScalingGroupConfig;

std::vector<std::string> Precursor(const PodCliqueSetTemplate& set, std::string_view clique) {
  for (size_t i = 1; i < set.cliques.size(); ++i) {
    if (set.cliques[i].name == clique) return {set.cliques[i - 1].name};
  }
  return {};
}

std::vector<std::string> Dependencies(const PodCliqueSetTemplate& set, std::string_view clique) {
  if (set.StartupType() == api::grove::kStartInOrder) return Precursor(set, clique);
  if (set.StartupType() != api::grove::kStartExplicit) return {};
  const auto* found = set.FindClique(clique);
  return found == nullptr ? std::vector<std::string>() : found->spec.startsAfter;
}

// All PodCliques of `dependency` in the base gang.
void AddOfBaseGang(std::string_view set_name, const PodCliqueSetTemplate& set, int replica,
                   const std::string& dependency, std::vector<std::string>& names) {
  const ScalingGroupConfig* group = set.GroupOf(dependency);
  if (group == nullptr) {
    names.push_back(names::StandaloneClique(set_name, replica, dependency));
    return;
  }
  const std::string group_name = names::ScalingGroup(set_name, replica, group->name);
  for (int j = 0; j < group->MinAvailable(); ++j) {
    names.push_back(names::MemberClique(group_name, j, dependency));
  }
}

}  // namespace

std::vector<std::string> StartsAfter(std::string_view set_name, const PodCliqueSetTemplate& set,
                                     std::string_view clique, const CliquePosition& position) {
  const ScalingGroupConfig* group = set.GroupOf(clique);
  const bool scaled = group != nullptr && position.group_replica &&
                      *position.group_replica >= group->MinAvailable();
  std::vector<std::string> result;
  for (const std::string& dependency : Dependencies(set, clique)) {
    if (!scaled) {
      AddOfBaseGang(set_name, set, position.replica, dependency, result);
    } else if (group->Contains(dependency)) {
      result.push_back(
          names::MemberClique(names::ScalingGroup(set_name, position.replica, group->name),
                              *position.group_replica, dependency));
    }
  }
  return result;
}

}  // namespace coppice::operators
