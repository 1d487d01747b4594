#include "backends/framework/config.h"

#include <fmt/format.h>

#include <set>

#include "api/key/backendfiles.h"
#include "backends/framework/registry.h"
#include "backends/model/options.h"

namespace coppice::backends {
namespace {

using json::Value;

constexpr std::string_view kDefaultScheduler = "default-scheduler";

Fallback ReadFallback(std::string_view text, Fallback fallback) {
  if (text == "Reject") return Fallback::kReject;
  if (text == "PodAffinity") return Fallback::kPodAffinity;
  if (text == "Drop") return Fallback::kDrop;
  return fallback;
}

base::Status CheckFallbacks(view::backendfiles::TopologyOptions options, const std::string& path) {
  using Key = key::backendfiles::TopologyOptions;
  for (const json::Member& member : options.Json().Members()) {
    const std::string_view text = member.value.AsString();
    const std::string field = fmt::format("{}.config.topology.{}", path, member.name());
    if (member.name() != Key::requiredGang && member.name() != Key::requiredGroup &&
        member.name() != Key::preferred) {
      return WrongField(field, "unknown; requiredGang, requiredGroup and preferred can be set");
    }
    if (text == "Reject" || text == "PodAffinity") continue;
    if (text == "Drop" && member.name() != Key::requiredGang) continue;
    return WrongField(field, fmt::format("\"{}\" is not one of Reject, PodAffinity{}", text,
                                         member.name() == Key::requiredGang ? "" : ", Drop"));
  }
  return {};
}

base::Result<Profile> ReadProfile(view::backendfiles::Profile item, const std::string& path) {
  Profile profile;
  profile.name = item.name();
  if (profile.name.empty()) return WrongField(path + ".name", "a profile needs a name");
  profile.backend = item.backend();
  if (profile.backend.empty()) {
    if (const BuiltInBackend* built_in = FindBuiltIn(profile.name)) profile.backend = built_in->id;
  }
  const Value& enabled = item.Json()[key::backendfiles::Profile::enabled];
  if (!enabled.IsNull() && !enabled.IsBool()) {
    return WrongField(path + ".enabled", "must be true or false");
  }
  profile.enabled = item.enabled(true);
  const Value& config = item.config().Json();
  if (!config.IsNull() && !config.IsObject()) {
    return WrongField(path + ".config", "must be a mapping");
  }
  if (config.IsObject()) profile.options = config;
  COPPICE_TRY(CheckFallbacks(profile.Config().topology(), path));
  return profile;
}

void AddDefaultScheduler(BackendConfig& config) {
  for (const Profile& profile : config.profiles) {
    if (profile.backend == "default") return;
  }
  config.profiles.push_back({std::string(kDefaultScheduler), "default", true, Value::Object()});
}

base::Status ReadProfiles(view::List<view::backendfiles::Profile> profiles, BackendConfig& config) {
  std::set<std::string> names;
  for (size_t i = 0; i < profiles.size(); ++i) {
    const std::string path = fmt::format("scheduler.profiles[{}]", i);
    COPPICE_ASSIGN(Profile profile, ReadProfile(profiles.At(i), path));
    if (!names.insert(profile.name).second) {
      return WrongField(path + ".name", fmt::format("\"{}\" is listed twice", profile.name));
    }
    config.profiles.push_back(std::move(profile));
  }
  AddDefaultScheduler(config);
  return {};
}

base::Status CheckDefault(const BackendConfig& config) {
  for (const Profile& profile : config.profiles) {
    if (profile.name != config.default_profile) continue;
    if (profile.enabled) return {};
    return WrongField("scheduler.defaultProfileName",
                      fmt::format("profile \"{}\" is not enabled", profile.name));
  }
  return WrongField("scheduler.defaultProfileName",
                    fmt::format("\"{}\" is not one of the profiles", config.default_profile));
}

}  // namespace

std::vector<std::string> Profile::SchedulerNames() const {
  std::vector<std::string> names;
  for (const std::string_view name : Config().schedulerNames()) names.emplace_back(name);
  return names;
}

Fallback Profile::RequiredGang() const {
  return ReadFallback(Config().topology().requiredGang(), Fallback::kReject);
}
Fallback Profile::RequiredGroup() const {
  return ReadFallback(Config().topology().requiredGroup(), Fallback::kReject);
}
Fallback Profile::Preferred() const {
  return ReadFallback(Config().topology().preferred(), Fallback::kPodAffinity);
}
bool Profile::ReuseReservation() const { return Config().reuseReservation(true); }
bool Profile::KueueAdmission() const { return Config().admission() == "kueue"; }

base::Result<BackendConfig> ParseConfig(const Value& configuration) {
  BackendConfig config;
  const view::backendfiles::Configuration file(configuration);
  const std::string_view compatibility = file.compatibility();
  if (!compatibility.empty() && compatibility != "grove") {
    return WrongField("compatibility",
                      fmt::format("\"{}\" is not known; \"grove\" is", compatibility));
  }
  if (compatibility == "grove") config.policy = &CompatibilityPolicy::Grove();
  const view::backendfiles::SchedulerConfiguration scheduler = file.scheduler();
  COPPICE_TRY(ReadProfiles(scheduler.profiles(), config));
  config.default_profile =
      scheduler.has_defaultProfileName() ? scheduler.defaultProfileName() : kDefaultScheduler;
  COPPICE_TRY(CheckDefault(config));
  config.unknown_scheduler = scheduler.unknownScheduler();
  for (const std::string_view path : scheduler.plugins()) config.plugins.emplace_back(path);
  for (const auto item : scheduler.declarations()) config.declarations.push_back(item.Json());
  return config;
}

BackendConfig AllBackends() {
  BackendConfig config;
  for (const BuiltInBackend& each : BuiltInBackends()) {
    config.profiles.push_back(
        {std::string(each.scheduler_name), std::string(each.id), true, Value::Object()});
  }
  return config;
}

}  // namespace coppice::backends
