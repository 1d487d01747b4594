#include <fmt/format.h>

#include "api/schema/errors/field_error.h"
#include "api/selectors/names.h"
#include "api/view/core.h"
#include "operator/webhooks/checks/checks.h"
#include "operator/webhooks/checks/duplicates.h"

namespace coppice::operators::webhooks {
namespace {

using api::grove::PodCliqueSet;
using api::grove::PodCliqueTemplate;

void CheckName(const PodCliqueSet& set, size_t index, Causes& causes) {
  const std::string& name = set.spec.template_.cliques[index].name;
  const std::string path = CliquePath(index) + ".name";
  if (IsBlank(name)) {
    causes.push_back(api::RequiredField(path, "field cannot be empty"));
    return;
  }
  if (!api::Dns1123SubdomainProblems(name).empty()) {
    causes.push_back(api::InvalidField(
        path, name, "invalid PodCliqueTemplateSpec name, must be a valid DNS subdomain"));
  }
  CheckStandaloneBudget(set, index, causes);
}

// Kubernetes accepts annotation keys in any case.
std::string Lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

void CheckMetadata(const PodCliqueTemplate& clique, const std::string& path, Causes& causes) {
  for (const auto& [key, value] : clique.labels) {
    for (const std::string& problem : api::LabelKeyProblems(key)) {
      causes.push_back(api::InvalidField(path + ".labels", key, problem));
    }
    for (const std::string& problem : api::LabelValueProblems(value)) {
      causes.push_back(api::InvalidField(path + ".labels", value, problem));
    }
  }
  for (const auto& [key, value] : clique.annotations) {
    for (const std::string& problem : api::LabelKeyProblems(Lower(key))) {
      causes.push_back(api::InvalidField(path + ".annotations", key, problem));
    }
  }
}

void CheckCounts(const PodCliqueTemplate& clique, const std::string& path, Causes& causes) {
  const auto& spec = clique.spec;
  if (spec.replicas <= 0) {
    causes.push_back(
        api::InvalidField(path + ".replicas", spec.replicas, "must be greater than 0"));
  }
  if (!spec.minAvailable) {
    causes.push_back(api::RequiredField(path + ".minAvailable", "field is required"));
    return;
  }
  if (*spec.minAvailable <= 0) {
    causes.push_back(
        api::InvalidField(path + ".minAvailable", *spec.minAvailable, "must be greater than 0"));
  }
  if (*spec.minAvailable > spec.replicas) {
    causes.push_back(api::InvalidField(path + ".minAvailable", *spec.minAvailable,
                                       "minAvailable must not be greater than replicas"));
  }
}

void CheckAutoscaling(const PodCliqueTemplate& clique, const std::string& path, Causes& causes) {
  if (!clique.spec.autoScalingConfig) return;
  const auto& scaling = *clique.spec.autoScalingConfig;
  if (!scaling.minReplicas) {
    causes.push_back(api::RequiredField(path + ".minReplicas", "field is required"));
    return;
  }
  if (clique.spec.minAvailable && *scaling.minReplicas < *clique.spec.minAvailable) {
    causes.push_back(
        api::InvalidField(path + ".minReplicas", *scaling.minReplicas,
                          "must be greater than or equal to podCliqueSpec.minAvailable"));
  }
  if (scaling.maxReplicas < *scaling.minReplicas) {
    causes.push_back(
        api::InvalidField(path + ".maxReplicas", scaling.maxReplicas,
                          "must be greater than or equal to podCliqueSpec.minReplicas"));
  }
  if (scaling.maxReplicas < clique.spec.replicas) {
    causes.push_back(api::InvalidField(path + ".maxReplicas", scaling.maxReplicas,
                                       "must be greater than or equal to replicas"));
  }
}

// A gang's placement is decided by its scheduler and topology constraints, never manually.
void CheckPlacement(const json::Value& pod_spec, const std::string& path, Causes& causes) {
  const view::core::PodSpec spec(pod_spec);
  if (const json::Value& spread = spec.topologySpreadConstraints().Json(); spread.IsArray()) {
    causes.push_back(
        api::InvalidField(path + ".spec.topologySpreadConstraints", spread, "must not be set"));
  }
  if (!IsBlank(spec.nodeName())) {
    causes.push_back(
        api::InvalidField(path + ".spec.nodeName", spec.nodeName(), "must not be set"));
  }
}

void CheckRoles(const PodCliqueSet& set, Causes& causes) {
  std::vector<std::string> roles;
  std::vector<std::string> names;
  for (const PodCliqueTemplate& clique : set.spec.template_.cliques) {
    roles.push_back(clique.spec.roleName);
    names.push_back(clique.name);
  }
  if (const auto repeated = Duplicates(names); !repeated.empty()) {
    causes.push_back(api::DuplicateField("spec.template.cliques.name", ToList(repeated)));
  }
  if (const auto repeated = Duplicates(roles); !repeated.empty()) {
    causes.push_back(api::DuplicateField("spec.template.cliques.roleName", ToList(repeated)));
  }
}

}  // namespace

void CheckCliques(const PodCliqueSet& set, bool creating, Causes& causes) {
  const auto& cliques = set.spec.template_.cliques;
  if (cliques.empty()) {
    causes.push_back(api::RequiredField("spec.template.cliques",
                                        "at least one PodClique must be "
                                        "defined"));
    return;
  }
  for (size_t i = 0; i < cliques.size(); ++i) {
    const std::string path = CliquePath(i);
    CheckName(set, i, causes);
    CheckMetadata(cliques[i], path, causes);
    CheckCliqueSharing(set.spec.template_, i, causes);
    CheckCounts(cliques[i], path + ".spec", causes);
    CheckStartsAfter(set.spec.template_, i, causes);
    CheckAutoscaling(cliques[i], path + ".spec.autoScalingConfig", causes);
    if (creating) CheckPlacement(cliques[i].spec.podSpec, path + ".spec.podSpec", causes);
    CheckEnvironment(cliques[i].spec.podSpec, path + ".spec.podSpec.spec", causes);
  }
  CheckRoles(set, causes);
}

}  // namespace coppice::operators::webhooks
