#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "api/schema/field_error.h"
#include "operator/webhooks/checks.h"

namespace coppice::operators::webhooks {
namespace {

using api::grove::PodCliqueSetTemplate;

void CheckTemplates(const PodCliqueSetTemplate& set, Causes& causes) {
  std::set<std::string> seen;
  for (size_t i = 0; i < set.resourceClaimTemplates.size(); ++i) {
    const auto& claim = set.resourceClaimTemplates[i];
    const std::string path = fmt::format("spec.template.resourceClaimTemplates[{}]", i);
    if (claim.name.empty()) {
      causes.push_back(api::RequiredField(path + ".name", "name must not be empty"));
    } else if (!seen.insert(claim.name).second) {
      causes.push_back(api::DuplicateField(path + ".name", claim.name));
    }
    if (claim.templateSpec["spec"]["devices"]["requests"].empty()) {
      causes.push_back(api::RequiredField(path + ".templateSpec.spec.devices.requests",
                                          "at least one device request is required"));
    }
  }
}

bool IsInternal(const PodCliqueSetTemplate& set, const std::string& name) {
  return std::any_of(set.resourceClaimTemplates.begin(), set.resourceClaimTemplates.end(),
                     [&](const auto& claim) { return claim.name == name; });
}

template <typename Sharing>
void CheckSharing(const PodCliqueSetTemplate& set, const std::vector<Sharing>& sharing,
                  const std::string& list_path, Causes& causes) {
  std::set<std::string> seen;
  for (size_t i = 0; i < sharing.size(); ++i) {
    const Sharing& item = sharing[i];
    const std::string path = fmt::format("{}[{}]", list_path, i);
    if (item.name.empty()) {
      causes.push_back(api::RequiredField(path + ".name", "name must not be empty"));
    } else if (!seen.insert(item.name).second) {
      causes.push_back(api::DuplicateField(path + ".name", item.name));
    }
    if (item.namespace_ && !item.namespace_->empty() && IsInternal(set, item.name)) {
      causes.push_back(api::InvalidField(path + ".namespace", *item.namespace_,
                                         "must be empty when name refers to an internal "
                                         "resourceClaimTemplate"));
    }
    if (item.scope != api::grove::kScopeAllReplicas && item.scope != api::grove::kScopePerReplica) {
      causes.push_back(api::UnsupportedField(path + ".scope", item.scope,
                                             {std::string(api::grove::kScopeAllReplicas),
                                              std::string(api::grove::kScopePerReplica)}));
    }
  }
}

template <typename Exists>
void CheckNames(const std::vector<std::string>& names, const std::string& path,
                const Exists& exists, Causes& causes) {
  for (size_t i = 0; i < names.size(); ++i) {
    if (!exists(names[i])) {
      causes.push_back(api::NotFoundField(fmt::format("{}[{}]", path, i), names[i]));
    }
  }
}

void CheckSetFilters(const PodCliqueSetTemplate& set, Causes& causes) {
  for (size_t i = 0; i < set.resourceSharing.size(); ++i) {
    const auto& filter = set.resourceSharing[i].filter;
    if (!filter) continue;
    const std::string path = fmt::format("spec.template.resourceSharing[{}].filter", i);
    if (filter->childCliqueNames.empty() && filter->childScalingGroupNames.empty()) {
      causes.push_back(api::RequiredField(
          path, "filter must specify at least one childCliqueNames or childScalingGroupNames "
                "entry"));
    }
    CheckNames(filter->childCliqueNames, path + ".childCliqueNames",
               [&](const std::string& name) { return set.FindClique(name) != nullptr; }, causes);
    CheckNames(filter->childScalingGroupNames, path + ".childScalingGroupNames",
               [&](const std::string& name) { return set.FindGroup(name) != nullptr; }, causes);
  }
}

void CheckGroupFilters(const api::grove::ScalingGroupConfig& group, const std::string& list_path,
                       Causes& causes) {
  for (size_t i = 0; i < group.resourceSharing.size(); ++i) {
    const auto& filter = group.resourceSharing[i].filter;
    if (!filter) continue;
    const std::string path = fmt::format("{}[{}].filter", list_path, i);
    if (filter->childCliqueNames.empty()) {
      causes.push_back(api::RequiredField(
          path, "filter must specify at least one childCliqueNames entry"));
    }
    CheckNames(filter->childCliqueNames, path + ".childCliqueNames",
               [&](const std::string& name) { return group.Contains(name); }, causes);
  }
}

}  // namespace

void CheckClaims(const PodCliqueSetTemplate& set, Causes& causes) {
  CheckTemplates(set, causes);
  CheckSharing(set, set.resourceSharing, "spec.template.resourceSharing", causes);
  CheckSetFilters(set, causes);
  for (size_t g = 0; g < set.podCliqueScalingGroups.size(); ++g) {
    const auto& group = set.podCliqueScalingGroups[g];
    const std::string path = GroupPath(g) + ".resourceSharing";
    CheckSharing(set, group.resourceSharing, path, causes);
    CheckGroupFilters(group, path, causes);
  }
  for (size_t c = 0; c < set.cliques.size(); ++c) {
    CheckSharing(set, set.cliques[c].resourceSharing, CliquePath(c) + ".resourceSharing", causes);
  }
}

}  // namespace coppice::operators::webhooks
