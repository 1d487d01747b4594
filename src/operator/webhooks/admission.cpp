#include "operator/webhooks/admission.h"

#include <fmt/format.h>

#include <set>

#include "api/grove/convert.h"
#include "api/schema/field_error.h"
#include "operator/topology/condition.h"
#include "operator/webhooks/checks.h"
#include "operator/webhooks/defaulting.h"

namespace coppice::operators::webhooks {
namespace {

using api::grove::PodCliqueSet;

void CheckBase(const Config& config, const PodCliqueSet& set, bool creating, Causes& causes) {
  CheckSet(set, causes);
  CheckClaims(set.spec.template_, causes);
  CheckCliques(set, creating, causes);
  CheckStartupOrder(set.spec.template_, causes);
  CheckNameBudget(set, causes);
  CheckScalingGroups(set.spec.template_, causes);
  CheckMnnvl(set, config.auto_mnnvl, causes);
}

std::vector<std::string> PodWarnings(const PodCliqueSet& set) {
  std::vector<std::string> warnings;
  for (size_t i = 0; i < set.spec.template_.cliques.size(); ++i) {
    const auto policy = set.spec.template_.cliques[i].spec.podSpec["restartPolicy"].AsString();
    if (policy.empty() || policy == "Always") continue;
    warnings.push_back(fmt::format("{}.spec.podSpec.restartPolicy: pods of a clique are kept "
                                   "running; \"{}\" only decides how their containers restart",
                                   CliquePath(i), policy));
  }
  return warnings;
}

// A set in which every clique has the first one's scheduler: what the backend is asked about when
// names are mixed, which is an error of its own.
json::Value WithOneScheduler(json::Value set) {
  json::Value* spec = set.FindMutable("spec");
  json::Value* tmpl = spec == nullptr ? nullptr : spec->FindMutable("template");
  json::Value* cliques = tmpl == nullptr ? nullptr : tmpl->FindMutable("cliques");
  if (cliques == nullptr || cliques->empty()) return set;
  const json::Value first = cliques->At(0)["spec"]["podSpec"]["schedulerName"];
  for (json::Value& clique : cliques->MutableItems()) {
    json::Value& pod_spec = clique.Mutable("spec").Mutable("podSpec");
    if (first.IsNull()) {
      pod_spec.Erase("schedulerName");
    } else {
      pod_spec.Set("schedulerName", first);
    }
  }
  return set;
}

}  // namespace

base::Error Denial(std::string_view webhook, const Causes& causes) {
  return base::Error(base::ErrorCode::kForbidden,
                     fmt::format("admission webhook \"{}\" denied the request: {}", webhook,
                                 api::Describe(causes)))
      .WithCauses(causes);
}

Admission::Admission(const Config& config, std::shared_ptr<backends::Backends> backends,
                     FindBinding find_binding)
    : config_(config), backends_(std::move(backends)), find_binding_(std::move(find_binding)) {}

void Admission::Mutate(json::Value& set) const { DefaultPodCliqueSet(set); }

std::optional<backends::TopologyLevels> Admission::FindLevels(const std::string& name) const {
  const auto binding = find_binding_(name);
  if (!binding) return std::nullopt;
  return backends::LevelsFromBinding(*binding);
}

Causes Admission::CheckBackend(const json::Value& submitted) const {
  // Not an object yet: what is known of the one with this uid does not hold for it.
  json::Value set = submitted;
  set.Mutable("metadata").Erase("uid");
  Causes causes;
  const auto selection = backends_->Select(set);
  if (!selection) causes = selection.error().causes();
  const json::Value uniform = WithOneScheduler(set);
  const auto typed = api::grove::ReadPodCliqueSet(uniform);
  const auto levels = FindLevels(topology::TopologyName(typed.spec.template_));
  for (const base::FieldCause& cause : backends_->Validate(uniform, levels.value_or(
                                                               backends::TopologyLevels()))) {
    causes.push_back(api::InvalidField("spec", set["spec"], cause.message));
  }
  return causes;
}

Review Admission::ReviewSet(const json::Value& set, const json::Value& old) const {
  Review review;
  const PodCliqueSet typed = api::grove::ReadPodCliqueSet(set);
  TopologyInput topology{.enabled = config_.topology_aware_scheduling};
  std::optional<backends::TopologyLevels> levels;
  const auto check_topology = [&] {
    const bool resolved = !topology.enabled || ResolveTopologyName(typed.spec.template_,
                                                                   topology.resolved_name,
                                                                   review.causes);
    if (!resolved) return;
    levels = FindLevels(topology.resolved_name);
    topology.levels = levels ? &*levels : nullptr;
    CheckTopology(typed.spec.template_, topology, review.causes);
  };
  if (old.IsNull()) check_topology();
  CheckBase(config_, typed, old.IsNull(), review.causes);
  if (!old.IsNull()) {
    CheckMnnvlImmutable(typed, api::grove::ReadPodCliqueSet(old), review.causes);
  }
  if (!typed.spec.template_.cliques.empty()) {
    for (base::FieldCause& cause : CheckBackend(set)) review.causes.push_back(std::move(cause));
  }
  if (!old.IsNull() && review.causes.empty()) {
    const PodCliqueSet before = api::grove::ReadPodCliqueSet(old);
    bool repaired = false;
    CheckImmutable(typed, before, review.causes);
    CheckTopologyImmutable(typed, before, repaired, review.causes);
    if (repaired && review.causes.empty()) check_topology();
  }
  review.warnings = PodWarnings(typed);
  for (std::string& warning :
       TopologyWarnings(typed.spec.template_, levels ? &*levels : nullptr)) {
    review.warnings.push_back(std::move(warning));
  }
  return review;
}

Review Admission::ReviewBinding(const json::Value& document) const {
  Review review;
  const auto binding = api::grove::ReadClusterTopologyBinding(document);
  std::set<std::string> domains;
  std::set<std::string> keys;
  for (size_t i = 0; i < binding.spec.levels.size(); ++i) {
    const std::string path = fmt::format("spec.levels[{}]", i);
    const auto& level = binding.spec.levels[i];
    if (!domains.insert(level.domain).second) {
      review.causes.push_back(api::DuplicateField(path + ".domain", level.domain));
    }
    if (!keys.insert(level.key).second) {
      review.causes.push_back(api::DuplicateField(path + ".key", level.key));
    }
  }
  std::set<std::string> schedulers;
  const auto enabled = backends_->current();
  for (size_t i = 0; i < binding.spec.schedulerTopologyBindings.size(); ++i) {
    const std::string path = fmt::format("spec.schedulerTopologyBindings[{}].schedulerName", i);
    const std::string& name = binding.spec.schedulerTopologyBindings[i].schedulerName;
    const auto instance = enabled->ByScheduler(name);
    if (!schedulers.insert(name).second) {
      review.causes.push_back(api::DuplicateField(path, name));
    } else if (!instance) {
      review.causes.push_back(
          api::InvalidField(path, name, "scheduler backend is not enabled"));
    } else if ((*instance)->backend->name() != "kai") {
      review.causes.push_back(
          api::InvalidField(path, name, "scheduler backend is not topology-aware"));
    }
  }
  return review;
}

}  // namespace coppice::operators::webhooks
