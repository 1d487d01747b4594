#include <fmt/format.h>

#include "api/grove/convert.h"
#include "api/schema/errors/field_error.h"
#include "api/view/core.h"
#include "api/view/grove.h"
#include "operator/webhooks/checks/checks.h"
#include "operator/webhooks/checks/duplicates.h"

namespace coppice::operators::webhooks {
namespace {

using api::grove::PodCliqueSet;
using api::grove::PodCliqueSetTemplate;
using api::grove::PodCliqueTemplate;
using api::grove::ScalingGroupConfig;

const char kImmutable[] = "field is immutable";

view::grove::PodCliqueSetTemplate Template(const PodCliqueSet& set) {
  return view::grove::PodCliqueSet(set.object).spec().template_();
}

// `document`: the clique as written by the user, for messages.
void CheckClique(const PodCliqueTemplate& clique, const PodCliqueTemplate& old, size_t index,
                 view::grove::PodCliqueTemplate document, Causes& causes) {
  const std::string path = "spec.template.cliques.spec";
  if (clique.spec.roleName != old.spec.roleName) {
    causes.push_back(api::InvalidField(path + ".roleName", clique.spec.roleName, kImmutable));
  }
  if (clique.spec.minAvailable != old.spec.minAvailable) {
    causes.push_back(
        api::InvalidField(path + ".minAvailable", clique.spec.MinAvailable(), kImmutable));
  }
  if (clique.spec.startsAfter != old.spec.startsAfter) {
    causes.push_back(
        api::InvalidField(path + ".startsAfter", document.spec().startsAfter().Json(), kImmutable));
  }
  const std::string_view scheduler = view::core::PodSpec(clique.spec.podSpec).schedulerName();
  if (scheduler != view::core::PodSpec(old.spec.podSpec).schedulerName()) {
    causes.push_back(api::InvalidField(path + ".podSpec.schedulerName", scheduler, kImmutable));
  }
  if (clique.resourceSharing != old.resourceSharing) {
    causes.push_back(api::InvalidField(CliquePath(index) + ".resourceSharing",
                                       document.resourceSharing().Json(), kImmutable));
  }
}

// With a startup order, existing pods were created for the order at that time.
void CheckPosition(const PodCliqueSetTemplate& set, const PodCliqueSetTemplate& old, size_t index,
                   Causes& causes) {
  if (set.StartupType() == api::grove::kStartAnyOrder) return;
  const std::string& name = set.cliques[index].name;
  if (index < old.cliques.size() && old.cliques[index].name == name) return;
  causes.push_back(api::InvalidField(
      "spec.template.cliques", name,
      fmt::format("clique order cannot be changed when StartupType is InOrder or Explicit. "
                  "Expected '{}' at position {}, got '{}'",
                  name, index, name)));
}

void CheckCliqueChanges(const PodCliqueSet& set, const PodCliqueSet& old, Causes& causes) {
  const std::string path = "spec.template.cliques";
  const std::string message = "not allowed to change clique composition";
  const auto& cliques = set.spec.template_.cliques;
  if (cliques.size() != old.spec.template_.cliques.size()) {
    causes.push_back(api::ForbiddenField(path, message));
  }
  for (size_t i = 0; i < cliques.size(); ++i) {
    const auto* before = old.spec.template_.FindClique(cliques[i].name);
    if (before == nullptr) {
      causes.push_back(api::ForbiddenField(
          path + ".name",
          fmt::format("{}, new clique name '{}' is not allowed", message, cliques[i].name)));
      continue;
    }
    CheckPosition(set.spec.template_, old.spec.template_, i, causes);
    CheckClique(cliques[i], *before, i, Template(set).cliques().At(i), causes);
  }
}

void CheckGroup(const ScalingGroupConfig& group, const ScalingGroupConfig& old,
                view::grove::ScalingGroupConfig document, Causes& causes) {
  const std::string path = "spec.template.podCliqueScalingGroups";
  if (group.cliqueNames != old.cliqueNames) {
    causes.push_back(
        api::InvalidField(path + ".cliqueNames", ToList(group.cliqueNames), kImmutable));
  }
  if (group.MinAvailable() != old.MinAvailable()) {
    causes.push_back(api::InvalidField(path + ".minAvailable", group.MinAvailable(), kImmutable));
  }
  if (group.resourceSharing != old.resourceSharing) {
    causes.push_back(api::InvalidField(path + ".resourceSharing", document.resourceSharing().Json(),
                                       kImmutable));
  }
}

void CheckGroupChanges(const PodCliqueSet& set, const PodCliqueSet& old, Causes& causes) {
  const std::string path = "spec.template.podCliqueScalingGroups";
  const auto& groups = set.spec.template_.podCliqueScalingGroups;
  if (groups.size() != old.spec.template_.podCliqueScalingGroups.size()) {
    causes.push_back(
        api::ForbiddenField(path, "not allowed to add or remove PodCliqueScalingGroupConfigs"));
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
    CheckGroup(groups[i], *before, Template(set).podCliqueScalingGroups().At(i), causes);
  }
}

}  // namespace

void CheckCompositionImmutable(const PodCliqueSet& set, const PodCliqueSet& old, Causes& causes) {
  CheckCliqueChanges(set, old, causes);
  const std::string type = set.spec.template_.StartupType();
  if (type != old.spec.template_.StartupType()) {
    causes.push_back(api::InvalidField("spec.template.cliqueStartupType", type, kImmutable));
  }
  CheckGroupChanges(set, old, causes);
}

void CheckClaimsImmutable(const PodCliqueSet& set, const PodCliqueSet& old, Causes& causes) {
  const PodCliqueSetTemplate& tmpl = set.spec.template_;
  const PodCliqueSetTemplate& before = old.spec.template_;
  const view::grove::PodCliqueSetTemplate document = Template(set);
  if (tmpl.resourceClaimTemplates != before.resourceClaimTemplates) {
    causes.push_back(api::InvalidField("spec.template.resourceClaimTemplates",
                                       document.resourceClaimTemplates().Json(), kImmutable));
  }
  if (tmpl.resourceSharing != before.resourceSharing) {
    causes.push_back(api::InvalidField("spec.template.resourceSharing",
                                       document.resourceSharing().Json(), kImmutable));
  }
}

}  // namespace coppice::operators::webhooks
