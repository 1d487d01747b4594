#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "api/schema/errors/field_error.h"
#include "api/selectors/names.h"
#include "operator/webhooks/checks/checks.h"
#include "operator/webhooks/checks/duplicates.h"

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
    causes.push_back(api::InvalidField(path + ".scaleConfig.minReplicas",
                                       *group.scaleConfig->minReplicas,
                                       "scaleConfig.minReplicas must be greater than or equal to "
                                       "minAvailable"));
  }
  if (group.scaleConfig && group.scaleConfig->minReplicas &&
      group.scaleConfig->maxReplicas < *group.scaleConfig->minReplicas) {
    causes.push_back(api::InvalidField(path + ".scaleConfig.maxReplicas",
                                       group.scaleConfig->maxReplicas,
                                       "must be greater than or equal to scaleConfig.minReplicas"));
  }
}

void CheckGroupName(const ScalingGroupConfig& group, const std::string& path, Causes& causes) {
  if (api::Dns1123SubdomainProblems(group.name).empty()) return;
  causes.push_back(
      api::InvalidField(path + ".name", group.name,
                        "invalid PodCliqueScalingGroupConfig name, must be a valid DNS subdomain"));
}

void CheckMembers(const PodCliqueSetTemplate& set, const ScalingGroupConfig& group,
                  const std::string& path, Causes& causes) {
  if (group.cliqueNames.empty()) {
    causes.push_back(
        api::RequiredField(path + ".cliqueNames", "a group needs at least one PodClique"));
  }
  std::vector<std::string> unknown;
  for (const std::string& name : group.cliqueNames) {
    if (set.FindClique(name) != nullptr) continue;
    if (std::find(unknown.begin(), unknown.end(), name) == unknown.end()) unknown.push_back(name);
  }
  if (unknown.empty()) return;
  causes.push_back(api::InvalidField(path + ".cliqueNames",
                                     fmt::format("{}", fmt::join(unknown, ",")),
                                     "unidentified PodClique names found"));
}

// A member is scaled with its group, never by itself.
void CheckMemberAutoscaling(const PodCliqueSetTemplate& set, Causes& causes) {
  for (const auto& clique : set.cliques) {
    if (!clique.spec.autoScalingConfig || set.GroupOf(clique.name) == nullptr) continue;
    causes.push_back(api::InvalidField(kGroupsPath, clique.name,
                                       "AutoScalingConfig is not allowed to be defined for "
                                       "PodClique that is part of scaling group"));
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
    causes.push_back(api::DuplicateField(fmt::format("{}.name", kGroupsPath), ToList(repeated)));
  }
  if (const auto repeated = Duplicates(members); !repeated.empty()) {
    causes.push_back(
        api::DuplicateField(fmt::format("{}.cliqueNames", kGroupsPath), ToList(repeated)));
  }
}

}  // namespace

void CheckScalingGroups(const api::grove::PodCliqueSet& set, Causes& causes) {
  const PodCliqueSetTemplate& tmpl = set.spec.template_;
  for (size_t i = 0; i < tmpl.podCliqueScalingGroups.size(); ++i) {
    const ScalingGroupConfig& group = tmpl.podCliqueScalingGroups[i];
    CheckGroupName(group, GroupPath(i), causes);
    CheckMembers(tmpl, group, GroupPath(i), causes);
    CheckMemberBudget(set, i, causes);
    CheckGroupCounts(group, GroupPath(i), causes);
    CheckGroupSharing(tmpl, i, causes);
  }
  CheckUnique(tmpl, causes);
  CheckMemberAutoscaling(tmpl, causes);
}

}  // namespace coppice::operators::webhooks
