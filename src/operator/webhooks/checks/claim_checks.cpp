#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_set>

#include "api/schema/errors/field_error.h"
#include "api/view/resource.h"
#include "operator/webhooks/checks/checks.h"
#include "operator/webhooks/checks/duplicates.h"

namespace coppice::operators::webhooks {
namespace {

using api::grove::PodCliqueSetTemplate;

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
      causes.push_back(api::RequiredField(path + ".name", "reference name is required"));
    } else if (!seen.insert(item.name).second) {
      causes.push_back(api::DuplicateField(path + ".name", item.name));
    }
    if (item.namespace_ && !item.namespace_->empty() && IsInternal(set, item.name)) {
      causes.push_back(api::InvalidField(path + ".namespace", *item.namespace_,
                                         "namespace must be empty when name matches an internal "
                                         "resourceClaimTemplate"));
    }
    if (item.scope != api::grove::kScopeAllReplicas && item.scope != api::grove::kScopePerReplica) {
      causes.push_back(api::UnsupportedField(
          path + ".scope", item.scope,
          {std::string(api::grove::kScopeAllReplicas), std::string(api::grove::kScopePerReplica)}));
    }
  }
}

using NameSet = std::unordered_set<std::string_view>;

template <typename Named>
NameSet NamesOf(const std::vector<Named>& list) {
  NameSet names;
  for (const Named& item : list) names.insert(item.name);
  return names;
}

void CheckNames(const std::vector<std::string>& names, const std::string& path,
                const NameSet& known, Causes& causes) {
  for (size_t i = 0; i < names.size(); ++i) {
    if (!known.contains(names[i])) {
      causes.push_back(api::NotFoundField(fmt::format("{}[{}]", path, i), names[i]));
    }
  }
}

void CheckSetFilters(const PodCliqueSetTemplate& set, Causes& causes) {
  const NameSet cliques = NamesOf(set.cliques), groups = NamesOf(set.podCliqueScalingGroups);
  for (size_t i = 0; i < set.resourceSharing.size(); ++i) {
    const auto& filter = set.resourceSharing[i].filter;
    if (!filter) continue;
    const std::string path = fmt::format("spec.template.resourceSharing[{}].filter", i);
    if (filter->childCliqueNames.empty() && filter->childScalingGroupNames.empty()) {
      causes.push_back(api::RequiredField(
          path,
          "filter must specify at least one childCliqueNames or childScalingGroupNames "
          "entry"));
    }
    CheckNames(filter->childCliqueNames, path + ".childCliqueNames", cliques, causes);
    CheckNames(filter->childScalingGroupNames, path + ".childScalingGroupNames", groups, causes);
  }
}

void CheckGroupFilters(const api::grove::ScalingGroupConfig& group, const std::string& list_path,
                       Causes& causes) {
  const NameSet members(group.cliqueNames.begin(), group.cliqueNames.end());
  for (size_t i = 0; i < group.resourceSharing.size(); ++i) {
    const auto& filter = group.resourceSharing[i].filter;
    if (!filter) continue;
    const std::string path = fmt::format("{}[{}].filter", list_path, i);
    if (filter->childCliqueNames.empty()) {
      causes.push_back(
          api::RequiredField(path, "filter must specify at least one childCliqueNames entry"));
    }
    CheckNames(filter->childCliqueNames, path + ".childCliqueNames", members, causes);
  }
}

}  // namespace

void CheckClaimTemplates(const PodCliqueSetTemplate& set, Causes& causes) {
  const std::string list = "spec.template.resourceClaimTemplates";
  std::vector<std::string> names;
  for (size_t i = 0; i < set.resourceClaimTemplates.size(); ++i) {
    const auto& claim = set.resourceClaimTemplates[i];
    const std::string path = fmt::format("{}[{}]", list, i);
    if (claim.name.empty()) {
      causes.push_back(api::RequiredField(path + ".name", "template name is required"));
    }
    if (view::resource::ResourceClaimTemplateSpec(claim.templateSpec)
            .spec()
            .devices()
            .requests()
            .empty()) {
      causes.push_back(api::RequiredField(path + ".templateSpec.spec.devices.requests",
                                          "at least one device request is required"));
    }
    names.push_back(claim.name);
  }
  if (const auto repeated = Duplicates(names); !repeated.empty()) {
    causes.push_back(api::DuplicateField(list + ".name", ToList(repeated)));
  }
}

void CheckSetSharing(const PodCliqueSetTemplate& set, Causes& causes) {
  CheckSharing(set, set.resourceSharing, "spec.template.resourceSharing", causes);
  CheckSetFilters(set, causes);
}

void CheckCliqueSharing(const PodCliqueSetTemplate& set, size_t clique, Causes& causes) {
  CheckSharing(set, set.cliques[clique].resourceSharing, CliquePath(clique) + ".resourceSharing",
               causes);
}

void CheckGroupSharing(const PodCliqueSetTemplate& set, size_t group, Causes& causes) {
  const auto& config = set.podCliqueScalingGroups[group];
  const std::string path = GroupPath(group) + ".resourceSharing";
  CheckSharing(set, config.resourceSharing, path, causes);
  CheckGroupFilters(config, path, causes);
}

}  // namespace coppice::operators::webhooks
