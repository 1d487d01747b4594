#include "operator/webhooks/admission.h"

#include <fmt/format.h>

#include <set>

#include "api/edit/grove.h"
#include "api/grove/convert.h"
#include "api/key/core.h"
#include "api/key/grove.h"
#include "api/schema/errors/field_error.h"
#include "api/view/core.h"
#include "api/view/grove.h"
#include "api/well_known.h"
#include "backends/framework/selection.h"
#include "kube/object.h"
#include "operator/common/limits.h"
#include "operator/topology/condition.h"
#include "operator/webhooks/checks/checks.h"
#include "operator/webhooks/defaulting.h"
#include "operator/webhooks/go_duration.h"

namespace coppice::operators::webhooks {
namespace {

using api::grove::PodCliqueSet;

std::vector<std::string> PodWarnings(const PodCliqueSet& set) {
  std::vector<std::string> warnings;
  for (size_t i = 0; i < set.spec.template_.cliques.size(); ++i) {
    const auto policy =
        view::core::PodSpec(set.spec.template_.cliques[i].spec.podSpec).restartPolicy();
    if (policy.empty() || policy == "Always") continue;
    warnings.push_back(
        fmt::format("{}.spec.podSpec.restartPolicy: pods of a clique are kept "
                    "running; \"{}\" only decides how their containers restart",
                    CliquePath(i), policy));
  }
  return warnings;
}

// The set with the first clique's scheduler in every clique: the backend validates this one if the
// names are mixed, which is an error of its own.
json::Value WithOneScheduler(json::Value set) {
  const auto present = view::grove::PodCliqueSet(set).spec().template_().cliques();
  if (present.empty()) return set;
  const json::Value first =
      present.At(0).spec().podSpec().Json()[key::core::PodSpec::schedulerName];
  json::Value& cliques = edit::grove::PodCliqueSet(set).spec().template_().cliques().Json();
  for (json::Value& clique : cliques.MutableItems()) {
    const edit::core::PodSpec pod_spec = edit::grove::PodCliqueTemplate(clique).spec().podSpec();
    if (first.IsNull()) {
      pod_spec.clear_schedulerName();
    } else {
      pod_spec.set_schedulerName(first.AsString());
    }
  }
  return set;
}

// The scheduler of the first clique; "" if it uses the default.
std::string FirstScheduler(const json::Value& set) {
  const auto cliques = view::grove::PodCliqueSet(set).spec().template_().cliques();
  return std::string(cliques.At(0).spec().podSpec().schedulerName());
}

// A set that is being deleted is not checked, and neither is an update of finalizers and the like,
// which changes nothing that is checked. What was valid once (such as a scheduler that was disabled
// later) must not block the deletion of a set.
bool IsSettled(const json::Value& set, const json::Value& old) {
  if (old.IsNull()) return false;
  const view::grove::PodCliqueSet now(set), before(old);
  return kube::IsDeleting(set) ||
         (now.spec() == before.spec() &&
          now.metadata().labels().Json() == before.metadata().labels().Json() &&
          now.metadata().annotations().Json() == before.metadata().annotations().Json());
}

// Accepts a duration that is already stored, so that the set can still be changed and deleted.
base::Status CheckGoDurations(const json::Value& set, const json::Value& old) {
  using Key = key::grove::PodCliqueSetTemplate;
  const auto now = view::grove::PodCliqueSet(set).spec().template_();
  const auto before = view::grove::PodCliqueSet(old).spec().template_();
  const json::Value& delay = now.Json()[Key::terminationDelay];
  if (!delay.IsString() || delay == before.Json()[Key::terminationDelay]) return {};
  return CheckGoDuration(delay.AsString());
}

// Removes duplicates.
Causes WithoutRepeats(const Causes& causes) {
  Causes kept;
  std::set<std::string> said;
  for (const base::FieldCause& cause : causes) {
    if (said.insert(api::Describe(cause)).second) kept.push_back(cause);
  }
  return kept;
}

}  // namespace

std::string RefusalText(const Causes& causes) { return api::Describe(WithoutRepeats(causes)); }

base::Error Denial(std::string_view webhook, const Causes& causes) {
  return base::Error(base::ErrorCode::kForbidden,
                     fmt::format("admission webhook \"{}\" denied the request: {}", webhook,
                                 RefusalText(causes)))
      .WithCauses(WithoutRepeats(causes));
}

Admission::Admission(const Config& config, std::shared_ptr<backends::Backends> backends,
                     kube::Client& client)
    : config_(config), backends_(std::move(backends)), client_(client) {}

bool Admission::Concerns(const api::Resource& resource) {
  return resource == api::kPodCliqueSets || resource == api::kClusterTopologyBindings;
}

base::Status Admission::Mutate(const api::Resource& resource, json::Value& object,
                               const json::Value& old) const {
  if (resource != api::kPodCliqueSets) return {};
  const base::Status mutated = Mutate(object, old);
  if (mutated) return {};
  return base::InvalidArgument(fmt::format("admission webhook \"{}\" denied the request: {}",
                                           kSetDefaulterName, mutated.error().message()));
}

base::Status Admission::Check(const api::Resource& resource, const json::Value& object,
                              const json::Value& old,
                              const std::function<void(const std::string&)>& warn) const {
  const bool is_set = resource == api::kPodCliqueSets;
  const Review review = is_set ? ReviewSet(object, old) : ReviewBinding(object);
  for (const std::string& warning : review.warnings) warn(warning);
  if (review.causes.empty()) return {};
  return Denial(is_set ? kSetValidatorName : kBindingValidatorName, review.causes);
}

base::Status Admission::Mutate(json::Value& set, const json::Value& old) const {
  if (config_.policy().RequiresGoDurations()) COPPICE_TRY(CheckGoDurations(set, old));
  DefaultPodCliqueSet(set);
  return {};
}

std::optional<backends::TopologyLevels> Admission::FindLevels(const std::string& name) const {
  if (name.empty()) return std::nullopt;
  const auto binding = client_.Get(api::kClusterTopologyBindings, {"", name});
  if (!binding) return std::nullopt;
  return backends::LevelsFromBinding(*binding);
}

Causes Admission::CheckSchedulers(const json::Value& set) const {
  const auto selection = backends_->Select(set);
  if (selection) return {};
  if (config_.policy().RefusalsNameTheirField()) return selection.error().causes();
  Causes causes;
  const auto name = backends::SchedulerNameOf(set, config_.backends.default_profile);
  if (!name) causes = name.error().causes();
  const std::string first = FirstScheduler(set);
  if (!first.empty() && !backends_->current()->ByScheduler(first)) {
    causes.push_back(api::InvalidField(
        "spec.template.cliques.spec.podSpec.schedulerName", first,
        "schedulerName must be an enabled scheduler backend; this scheduler is not enabled in "
        "OperatorConfiguration"));
  }
  return causes;
}

Causes Admission::CheckBackend(const json::Value& set) const {
  const json::Value uniform = WithOneScheduler(set);
  const json::Value& spec = view::grove::PodCliqueSet(set).spec().Json();
  if (!backends_->Select(uniform)) {
    if (config_.policy().RefusalsNameTheirField()) return {};
    return {api::InvalidField("spec", spec,
                              fmt::format("schedulerName {} is not enabled in "
                                          "OperatorConfiguration",
                                          api::Quoted(FirstScheduler(set))))};
  }
  const auto typed = api::grove::ReadPodCliqueSet(uniform);
  const auto levels = FindLevels(topology::TopologyName(typed.spec.template_));
  Causes causes;
  for (const base::FieldCause& cause :
       backends_->Validate(uniform, levels.value_or(backends::TopologyLevels()))) {
    causes.push_back(config_.policy().RefusalsNameTheirField()
                         ? base::FieldCause{cause.reason, cause.field, cause.message}
                         : api::InvalidField("spec", spec, cause.message));
  }
  return causes;
}

std::optional<backends::TopologyLevels> Admission::CheckTopologyOf(const PodCliqueSet& set,
                                                                   Causes& causes) const {
  TopologyInput topology{.enabled = config_.topology_aware_scheduling};
  if (topology.enabled &&
      !ResolveTopologyName(set.spec.template_, topology.resolved_name, causes)) {
    return std::nullopt;
  }
  const auto levels = FindLevels(topology.resolved_name);
  topology.levels = levels ? &*levels : nullptr;
  CheckTopology(set.spec.template_, topology, causes);
  return levels;
}

void Admission::CheckUpdate(const PodCliqueSet& set, const PodCliqueSet& old,
                            Causes& causes) const {
  CheckCompositionImmutable(set, old, causes);
  const TopologyChange change =
      CheckTopologyImmutable(set.spec.template_, old.spec.template_, causes);
  if (change == TopologyChange::kRepair) CheckTopologyOf(set, causes);
  CheckClaimsImmutable(set, old, causes);
}

Review Admission::ReviewSet(const json::Value& submitted, const json::Value& stored) const {
  // A set that is older than the webhooks lacks their defaults, which must not count as the user's
  // change.
  json::Value old = stored;
  if (!old.IsNull()) DefaultPodCliqueSet(old);
  if (IsSettled(submitted, old)) return {};
  // Not stored yet, so what is cached under this uid does not apply to it.
  json::Value set = submitted;
  edit::grove::PodCliqueSet(set).metadata().clear_uid();
  const bool creating = old.IsNull();
  const PodCliqueSet typed = api::grove::ReadPodCliqueSet(set);
  const bool has_cliques = !typed.spec.template_.cliques.empty();
  Review review;
  // The checks below visit each of them.
  if (review.causes = Excess(typed); !review.causes.empty()) return review;
  std::optional<backends::TopologyLevels> levels;
  if (creating) levels = CheckTopologyOf(typed, review.causes);
  CheckBase(typed, creating, has_cliques ? CheckSchedulers(set) : Causes(), review.causes);
  if (creating) {
    CheckMnnvl(typed, config_.auto_mnnvl, review.causes);
  } else {
    CheckMnnvlImmutable(typed, api::grove::ReadPodCliqueSet(old), review.causes);
  }
  if (has_cliques) {
    for (base::FieldCause& cause : CheckBackend(set)) review.causes.push_back(std::move(cause));
  }
  if (config_.policy().ValidatesGeneratedObjects()) {
    if (creating) CheckGeneratedNames(client_, typed, review.causes);
    CheckPodTemplates(client_, typed, api::grove::ReadPodCliqueSet(old), review.causes);
  }
  if (!creating && review.causes.empty()) {
    CheckUpdate(typed, api::grove::ReadPodCliqueSet(old), review.causes);
    if (config_.policy().ValidatesSchedulerChange()) {
      CheckSchedulerChange(*backends_, client_, set, old, review.causes);
    }
  }
  review.warnings = PodWarnings(typed);
  for (std::string& warning : TopologyWarnings(typed.spec.template_, levels ? &*levels : nullptr)) {
    review.warnings.push_back(std::move(warning));
  }
  return review;
}

Review Admission::ReviewBinding(const json::Value& document) const {
  Review review;
  if (kube::IsDeleting(document)) return review;
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
  const std::string_view field = config_.policy().TopologyBindingsField();
  const auto enabled = backends_->current();
  for (size_t i = 0; i < binding.spec.schedulerTopologyBindings.size(); ++i) {
    const std::string path = fmt::format("spec.{}[{}].schedulerName", field, i);
    const std::string& name = binding.spec.schedulerTopologyBindings[i].schedulerName;
    const auto instance = enabled->ByScheduler(name);
    if (!schedulers.insert(name).second) {
      review.causes.push_back(api::DuplicateField(path, name));
    }
    if (!instance) {
      review.causes.push_back(
          api::InvalidField(path, name, "scheduler backend is not enabled in Grove"));
    } else if ((*instance)->backend->name() != "kai") {
      review.causes.push_back(
          api::InvalidField(path, name,
                            "scheduler backend does not implement topology-aware "
                            "scheduling"));
    }
  }
  return review;
}

}  // namespace coppice::operators::webhooks
