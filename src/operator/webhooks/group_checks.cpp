#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/schema/field_error.h"
#include "api/selectors/names.h"
#include "operator/webhooks/checks.h"
#include "operator/webhooks/duplicates.h"

namespace coppice::operators::webhooks {
namespace {

using api::grove::PodCliqueSetTemplate;
using api::grove::ScalingGroupConfig;

const char kGroupsPath[] = "spec.template.podCliqueScalingGroups";

void CheckGroupCounts(const ScalingGroupConfig& group, const std::string& path, Causes& causes) {
  if (group.replicas && *group.replicas <= 0) {
    causes.push_back(
        api::InvalidField(path + ".replicas", *group.replicas, "must be greater than 0"));
  }
  if (group.minAvailable && *group.minAvailable <= 0) {
    causes.push_back(
        api::InvalidField(path + ".minAvailable", *group.minAvailable, "must be greater than 0"));
  }
  if (group.minAvailable && group.replicas && *group.minAvailable > *group.replicas) {
    causes.push_back(api::InvalidField(path + ".minAvailable", *group.minAvailable,
                                       "minAvailable must not be greater than replicas"));
  }
  if (group.scaleConfig && group.scaleConfig->minReplicas && group.minAvailable &&
      *group.scaleConfig->minReplicas < *group.minAvailable) {
    causes.push_back(
        api::InvalidField(path + ".scaleConfig.minReplicas", *group.scaleConfig->minReplicas,
                          "scaleConfig.minReplicas must be greater than or equal to "
                          "minAvailable"));
  }
}

void CheckGroupName(const ScalingGroupConfig& group, const std::string& path, Causes& causes) {
  if (api::Dns1123SubdomainProblems(group.name).empty()) return;
  causes.push_back(api::InvalidField(
      path + ".name", group.name,
      "invalid PodCliqueScalingGroupConfig name, must be a valid DNS subdomain"));
}

void CheckMembers(const PodCliqueSetTemplate& set, const ScalingGroupConfig& group,
                  Causes& causes) {
  std::vector<std::string> unknown;
  for (const std::string& name : group.cliqueNames) {
    const auto* clique = set.FindClique(name);
    if (clique == nullptr) {
      unknown.push_back(name);
    } else if (clique->spec.autoScalingConfig) {
      causes.push_back(
          api::InvalidField(kGroupsPath, name,
                            "AutoScalingConfig is not allowed to be defined for PodClique that is "
                            "part of scaling group"));
    }
  }
  if (!unknown.empty()) {
    causes.push_back(api::InvalidField(
        fmt::format("{}.cliqueNames", kGroupsPath), fmt::format("{}", fmt::join(unknown, ",")),
        "unidentified PodClique names found"));
  }
}

void CheckUnique(const PodCliqueSetTemplate& set, Causes& causes) {
  std::vector<std::string> names;
  std::vector<std::string> members;
  for (const ScalingGroupConfig& group : set.podCliqueScalingGroups) {
    names.push_back(group.name);
    members.insert(members.end(), group.cliqueNames.begin(), group.cliqueNames.end());
  }
  if (const auto repeated = Duplicates(names); !repeated.empty()) {
    causes.push_back(
        api::DuplicateField(fmt::format("{}.name", kGroupsPath), ToList(repeated)));
  }
  if (const auto repeated = Duplicates(members); !repeated.empty()) {
    causes.push_back(
        api::DuplicateField(fmt::format("{}.cliqueNames", kGroupsPath), ToList(repeated)));
  }
}

}  // namespace

void CheckScalingGroups(const PodCliqueSetTemplate& set, Causes& causes) {
  for (size_t i = 0; i < set.podCliqueScalingGroups.size(); ++i) {
    const ScalingGroupConfig& group = set.podCliqueScalingGroups[i];
    CheckGroupName(group, GroupPath(i), causes);
    CheckMembers(set, group, causes);
    CheckGroupCounts(group, GroupPath(i), causes);
  }
  CheckUnique(set, causes);
}

}  // namespace coppice::operators::webhooks
