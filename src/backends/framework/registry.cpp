#include "backends/framework/registry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace coppice::backends {
namespace {

base::Error Invalid(std::string message) {
  return base::Error(base::ErrorCode::kInvalid, std::move(message));
}

bool NamesExactly(const BackendInstance& instance, std::string_view scheduler_name) {
  if (instance.profile.name == scheduler_name) return true;
  for (const std::string& name : instance.profile.SchedulerNames()) {
    if (name == scheduler_name) return true;
  }
  return false;
}

std::string ListNames(const std::vector<const BackendInstance*>& instances) {
  std::string names;
  for (const BackendInstance* instance : instances) {
    if (!names.empty()) names += ", ";
    names += instance->backend->name();
  }
  return names;
}

base::Error NobodyServes(const Profile& profile) {
  std::vector<std::string_view> ids;
  for (const BuiltInBackend& each : BuiltInBackends()) ids.push_back(each.id);
  return Invalid(fmt::format(
      "scheduler.profiles: \"{}\" is neither a schedulerName that a backend serves nor a backend; "
      "there are {}",
      profile.backend.empty() ? profile.name : profile.backend, fmt::join(ids, ", ")));
}

}  // namespace

const BuiltInBackend* FindBuiltIn(std::string_view name) {
  if (name == "workload") name = "default";
  for (const BuiltInBackend& each : BuiltInBackends()) {
    if (each.id == name) return &each;
  }
  for (const BuiltInBackend& each : BuiltInBackends()) {
    if (each.scheduler_name == name) return &each;
  }
  return nullptr;
}

base::Result<std::shared_ptr<const BackendSet>> BackendSet::Make(const BackendConfig& config) {
  auto set = std::make_shared<BackendSet>();
  set->config_ = config;
  COPPICE_TRY(set->AddProfiles());
  COPPICE_TRY(set->AddPlugins());
  COPPICE_TRY(set->AddDeclarations());
  COPPICE_TRY(set->CheckNames());
  return std::shared_ptr<const BackendSet>(std::move(set));
}

// Grove's operator reads no more of a profile's options than ours does, and accepts any.
base::Status BackendSet::CheckProfile(const SchedulerBackend& backend,
                                      const Profile& profile) const {
  const auto own = backend.Options();
  if (!own || !config_.policy->ChecksProfileOptions()) return {};
  const auto at = std::find(config_.profiles.begin(), config_.profiles.end(), profile);
  return CheckOptions(
      *own, profile.options,
      fmt::format("scheduler.profiles[{}]", std::distance(config_.profiles.begin(), at)));
}

base::Status BackendSet::Add(std::shared_ptr<const SchedulerBackend> backend, Profile profile) {
  if (!profile.enabled) return {};
  COPPICE_TRY(CheckProfile(*backend, profile));
  for (const BackendInstance& other : instances_) {
    if (other.backend->name() != backend->name()) continue;
    return Invalid(
        fmt::format("profiles \"{}\" and \"{}\" are both for backend \"{}\"; list "
                    "further scheduler names under config.schedulerNames",
                    other.profile.name, profile.name, backend->name()));
  }
  instances_.push_back({std::move(backend), std::move(profile)});
  return {};
}

Profile BackendSet::ProfileFor(std::string_view id) const {
  for (const Profile& profile : config_.profiles) {
    if (profile.backend == id || profile.name == id) return profile;
  }
  return {std::string(id), std::string(id), true, json::Value::Object()};
}

base::Status BackendSet::AddProfiles() {
  for (const Profile& profile : config_.profiles) {
    if (!profile.enabled) continue;
    // A profile for a shared object or a declaration is picked up when that is loaded.
    const BuiltInBackend* built_in = FindBuiltIn(profile.backend);
    if (built_in == nullptr || built_in->id != profile.backend) {
      if (!config_.plugins.empty() || !config_.declarations.empty()) continue;
      return NobodyServes(profile);
    }
    COPPICE_ASSIGN(std::shared_ptr<const SchedulerBackend> backend, built_in->make(profile));
    COPPICE_TRY(Add(std::move(backend), profile));
  }
  return {};
}

// Profiles of shared objects and declarations are known only after all of them are loaded.
base::Status BackendSet::CheckNames() const {
  for (const Profile& profile : config_.profiles) {
    const bool used = std::any_of(instances_.begin(), instances_.end(), [&](const auto& instance) {
      return instance.profile.name == profile.name;
    });
    if (profile.enabled && !used) return NobodyServes(profile);
  }
  if (config_.unknown_scheduler.empty() || ByName(config_.unknown_scheduler) != nullptr) return {};
  return Invalid(fmt::format("scheduler.unknownScheduler: no enabled backend is called \"{}\"",
                             config_.unknown_scheduler));
}

const BackendInstance* BackendSet::ByName(std::string_view id) const {
  if (id == "workload") id = "default";
  for (const BackendInstance& instance : instances_) {
    if (instance.backend->name() == id) return &instance;
  }
  return nullptr;
}

const BackendInstance* BackendSet::Default() const {
  for (const BackendInstance& instance : instances_) {
    if (instance.profile.name == config_.default_profile) return &instance;
  }
  return nullptr;
}

base::Result<const BackendInstance*> BackendSet::NoneMatches(
    std::string_view scheduler_name) const {
  if (const BackendInstance* fallback = ByName(config_.unknown_scheduler)) return fallback;
  std::string known;
  for (const BackendInstance& instance : instances_) {
    if (!known.empty()) known += ", ";
    known += instance.profile.name;
  }
  return Invalid(
      fmt::format("no enabled scheduler backend serves schedulerName \"{}\"; enabled: {}",
                  scheduler_name, known));
}

base::Result<const BackendInstance*> BackendSet::ByScheduler(
    std::string_view scheduler_name) const {
  if (scheduler_name.empty()) {
    if (const BackendInstance* instance = Default()) return instance;
    return Invalid("no default scheduler backend is enabled; set podSpec.schedulerName");
  }
  std::vector<const BackendInstance*> exact, matching;
  for (const BackendInstance& instance : instances_) {
    if (NamesExactly(instance, scheduler_name)) exact.push_back(&instance);
    if (instance.backend->Matches(scheduler_name)) matching.push_back(&instance);
  }
  const bool by_name_only = config_.policy->MatchesSchedulersByProfileOnly();
  const auto& found = !exact.empty() || by_name_only ? exact : matching;
  if (found.empty()) return NoneMatches(scheduler_name);
  if (found.size() == 1) return found.front();
  return Invalid(
      fmt::format("several scheduler backends serve schedulerName \"{}\": {}; choose "
                  "one with annotation grove.io/scheduler-backend",
                  scheduler_name, ListNames(found)));
}

}  // namespace coppice::backends
