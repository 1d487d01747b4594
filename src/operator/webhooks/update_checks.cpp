#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "api/grove/convert.h"
#include "api/schema/field_error.h"
#include "operator/webhooks/checks.h"
#include "operator/webhooks/duplicates.h"

namespace coppice::operators::webhooks {
namespace {

using api::grove::PodCliqueSet;
using api::grove::PodCliqueSetTemplate;
using api::grove::PodCliqueTemplate;
using api::grove::ScalingGroupConfig;
using api::grove::TopologyConstraint;

const char kImmutable[] = "field is immutable";

std::set<std::string> NamesOf(const std::vector<PodCliqueTemplate>& cliques) {
  std::set<std::string> names;
  for (const PodCliqueTemplate& clique : cliques) names.insert(clique.name);
  return names;
}

void CheckOrder(const PodCliqueSetTemplate& set, const PodCliqueSetTemplate& old, Causes& causes) {
  if (set.StartupType() == api::grove::kStartAnyOrder) return;
  for (size_t i = 0; i < set.cliques.size(); ++i) {
    const std::string& name = set.cliques[i].name;
    const auto before =
        std::find_if(old.cliques.begin(), old.cliques.end(),
                     [&](const PodCliqueTemplate& clique) { return clique.name == name; });
    if (before == old.cliques.end() || before - old.cliques.begin() == static_cast<long>(i)) {
      continue;
    }
    causes.push_back(api::InvalidField(
        "spec.template.cliques", name,
        fmt::format("clique order cannot be changed when StartupType is InOrder or Explicit. "
                    "Expected '{}' at position {}, got '{}'",
                    name, i, name)));
  }
}

// As the user wrote it, for messages.
json::Value SharingOf(const json::Value& owner) {
  const json::Value& sharing = owner["resourceSharing"];
  return sharing.IsArray() ? sharing : json::Value::Array();
}

void CheckClique(const PodCliqueTemplate& clique, const PodCliqueTemplate& old,
                 const json::Value& document, Causes& causes) {
  const std::string path = "spec.template.cliques.spec";
  if (clique.spec.roleName != old.spec.roleName) {
    causes.push_back(api::InvalidField(path + ".roleName", clique.spec.roleName, kImmutable));
  }
  if (clique.spec.minAvailable != old.spec.minAvailable) {
    causes.push_back(api::InvalidField(path + ".minAvailable", clique.spec.MinAvailable(),
                                       kImmutable));
  }
  if (clique.spec.startsAfter != old.spec.startsAfter) {
    causes.push_back(
        api::InvalidField(path + ".startsAfter", ToList(clique.spec.startsAfter), kImmutable));
  }
  const json::Value& scheduler = clique.spec.podSpec["schedulerName"];
  if (scheduler.AsString() != old.spec.podSpec["schedulerName"].AsString()) {
    causes.push_back(
        api::InvalidField(path + ".podSpec.schedulerName", scheduler.AsString(), kImmutable));
  }
  if (clique.resourceSharing != old.resourceSharing) {
    causes.push_back(api::InvalidField("spec.template.cliques.resourceSharing",
                                       SharingOf(document), kImmutable));
  }
}

void CheckCliqueChanges(const PodCliqueSet& set, const PodCliqueSet& old, Causes& causes) {
  const auto& cliques = set.spec.template_.cliques;
  if (NamesOf(cliques) != NamesOf(old.spec.template_.cliques) ||
      cliques.size() != old.spec.template_.cliques.size()) {
    causes.push_back(api::ForbiddenField("spec.template.cliques",
                                         "not allowed to change clique composition"));
  }
  CheckOrder(set.spec.template_, old.spec.template_, causes);
  for (size_t i = 0; i < cliques.size(); ++i) {
    if (const auto* before = old.spec.template_.FindClique(cliques[i].name)) {
      CheckClique(cliques[i], *before, set.object["spec"]["template"]["cliques"].At(i), causes);
    }
  }
}

void CheckGroup(const ScalingGroupConfig& group, const ScalingGroupConfig& old,
                const json::Value& document, Causes& causes) {
  const std::string path = "spec.template.podCliqueScalingGroups";
  if (group.cliqueNames != old.cliqueNames) {
    causes.push_back(
        api::InvalidField(path + ".cliqueNames", ToList(group.cliqueNames), kImmutable));
  }
  if (group.MinAvailable() != old.MinAvailable()) {
    causes.push_back(api::InvalidField(path + ".minAvailable", group.MinAvailable(), kImmutable));
  }
  if (group.resourceSharing != old.resourceSharing) {
    causes.push_back(
        api::InvalidField(path + ".resourceSharing", SharingOf(document), kImmutable));
  }
}

void CheckGroupChanges(const PodCliqueSet& set, const PodCliqueSet& old, Causes& causes) {
  const std::string path = "spec.template.podCliqueScalingGroups";
  const auto& groups = set.spec.template_.podCliqueScalingGroups;
  if (groups.size() != old.spec.template_.podCliqueScalingGroups.size()) {
    causes.push_back(api::ForbiddenField(
        path, "not allowed to add or remove PodCliqueScalingGroupConfigs"));
    return;
  }
  for (size_t i = 0; i < groups.size(); ++i) {
    const auto* before = old.spec.template_.FindGroup(groups[i].name);
    if (before == nullptr) {
      causes.push_back(api::ForbiddenField(
          path + ".name", fmt::format("not allowed to change scaling group composition, new "
                                      "scaling group name '{}' is not allowed",
                                      groups[i].name)));
      continue;
    }
    CheckGroup(groups[i], *before,
               set.object["spec"]["template"]["podCliqueScalingGroups"].At(i), causes);
  }
}

std::string DescribePack(const TopologyConstraint& constraint) {
  return fmt::format("required=\"{}\" preferred=\"{}\"", constraint.RequiredDomain(),
                     constraint.PreferredDomain());
}

void CheckConstraint(const std::string& title, const std::string& path,
                     const std::optional<TopologyConstraint>& constraint,
                     const std::optional<TopologyConstraint>& old, Causes& causes) {
  if (constraint && !old) {
    causes.push_back(api::ForbiddenField(
        path, title + " topology constraint cannot be added after creation"));
  } else if (!constraint && old) {
    causes.push_back(api::ForbiddenField(
        path, title + " topology constraint cannot be removed after creation"));
  } else if (constraint && DescribePack(*constraint) != DescribePack(*old)) {
    causes.push_back(api::ForbiddenField(
        path, fmt::format("{} topology constraint cannot be changed from {} to {}", title,
                          DescribePack(*old), DescribePack(*constraint))));
  }
}

// The first name that a constraint of the set gives, with the constraint that gives it.
std::string FirstName(const PodCliqueSetTemplate& set) {
  if (set.topologyConstraint && !set.topologyConstraint->Topology().empty()) {
    return set.topologyConstraint->Topology();
  }
  for (const auto& group : set.podCliqueScalingGroups) {
    if (group.topologyConstraint && !group.topologyConstraint->Topology().empty()) {
      return group.topologyConstraint->Topology();
    }
  }
  for (const auto& clique : set.cliques) {
    if (clique.topologyConstraint && !clique.topologyConstraint->Topology().empty()) {
      return clique.topologyConstraint->Topology();
    }
  }
  return "";
}

bool UsesPackDomain(const PodCliqueSetTemplate& set) {
  const auto uses = [](const std::optional<TopologyConstraint>& constraint) {
    return constraint && constraint->packDomain.has_value();
  };
  return uses(set.topologyConstraint) ||
         std::any_of(set.cliques.begin(), set.cliques.end(),
                     [&](const auto& clique) { return uses(clique.topologyConstraint); }) ||
         std::any_of(set.podCliqueScalingGroups.begin(), set.podCliqueScalingGroups.end(),
                     [&](const auto& group) { return uses(group.topologyConstraint); });
}

}  // namespace

void CheckImmutable(const PodCliqueSet& set, const PodCliqueSet& old, Causes& causes) {
  CheckCliqueChanges(set, old, causes);
  const PodCliqueSetTemplate& tmpl = set.spec.template_;
  const PodCliqueSetTemplate& before = old.spec.template_;
  const json::Value& document = set.object["spec"]["template"];
  if (tmpl.StartupType() != before.StartupType()) {
    causes.push_back(api::InvalidField("spec.template.cliqueStartupType", tmpl.StartupType(),
                                       kImmutable));
  }
  if (tmpl.resourceClaimTemplates != before.resourceClaimTemplates) {
    causes.push_back(api::InvalidField("spec.template.resourceClaimTemplates",
                                       document["resourceClaimTemplates"], kImmutable));
  }
  if (tmpl.resourceSharing != before.resourceSharing) {
    causes.push_back(api::InvalidField("spec.template.resourceSharing", SharingOf(document),
                                       kImmutable));
  }
  CheckGroupChanges(set, old, causes);
}

void CheckTopologyImmutable(const PodCliqueSet& set, const PodCliqueSet& old, bool& repaired,
                            Causes& causes) {
  const PodCliqueSetTemplate& tmpl = set.spec.template_;
  const PodCliqueSetTemplate& before = old.spec.template_;
  const std::string old_name = FirstName(before);
  const std::string new_name = FirstName(tmpl);
  repaired = old_name.empty() && !new_name.empty() && UsesPackDomain(before);
  if (old_name != new_name && !repaired && (!old_name.empty() || before.topologyConstraint)) {
    causes.push_back(api::ForbiddenField(
        "spec.template.topologyConstraint.topologyName",
        fmt::format("topologyName cannot be changed from \"{}\" to \"{}\"", old_name, new_name)));
    return;
  }
  CheckConstraint("PodCliqueSet", "spec.template.topologyConstraint", tmpl.topologyConstraint,
                  before.topologyConstraint, causes);
  for (size_t i = 0; i < tmpl.cliques.size(); ++i) {
    const auto* clique = before.FindClique(tmpl.cliques[i].name);
    if (clique == nullptr) continue;
    CheckConstraint(fmt::format("PodClique '{}'", clique->name),
                    CliquePath(i) + ".topologyConstraint", tmpl.cliques[i].topologyConstraint,
                    clique->topologyConstraint, causes);
  }
  for (size_t i = 0; i < tmpl.podCliqueScalingGroups.size(); ++i) {
    const auto* group = before.FindGroup(tmpl.podCliqueScalingGroups[i].name);
    if (group == nullptr) continue;
    CheckConstraint(fmt::format("PodCliqueScalingGroup '{}'", group->name),
                    GroupPath(i) + ".topologyConstraint",
                    tmpl.podCliqueScalingGroups[i].topologyConstraint, group->topologyConstraint,
                    causes);
  }
}

}  // namespace coppice::operators::webhooks
