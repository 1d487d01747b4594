#include "backends/framework/config.h"

#include <fmt/format.h>

#include <set>

#include "backends/framework/registry.h"
#include "backends/model/options.h"

namespace coppice::backends {
namespace {

using json::Value;

constexpr std::string_view kDefaultScheduler = "default-scheduler";

Fallback ReadFallback(const Value& options, std::string_view key, Fallback fallback) {
  const std::string_view text = options["topology"][key].AsString();
  if (text == "Reject") return Fallback::kReject;
  if (text == "PodAffinity") return Fallback::kPodAffinity;
  if (text == "Drop") return Fallback::kDrop;
  return fallback;
}

base::Status CheckFallbacks(const Value& options, const std::string& path) {
  for (const json::Member& member : options["topology"].Members()) {
    const std::string_view text = member.value.AsString();
    const std::string field = fmt::format("{}.config.topology.{}", path, member.name());
    if (member.name() != "requiredGang" && member.name() != "requiredGroup" &&
        member.name() != "preferred") {
      return WrongField(field, "unknown; requiredGang, requiredGroup and preferred can be set");
    }
    if (text == "Reject" || text == "PodAffinity") continue;
    if (text == "Drop" && member.name() != "requiredGang") continue;
    return WrongField(field, fmt::format("\"{}\" is not one of Reject, PodAffinity{}", text,
                                         member.name() == "requiredGang" ? "" : ", Drop"));
  }
  return {};
}

base::Result<Profile> ReadProfile(const Value& item, const std::string& path) {
  Profile profile;
  profile.name = item["name"].ToString();
  if (profile.name.empty()) return WrongField(path + ".name", "a profile needs a name");
  profile.backend = item["backend"].ToString();
  if (profile.backend.empty()) profile.backend = BackendCatalog::Global().IdOf(profile.name);
  if (!item["enabled"].IsNull() && !item["enabled"].IsBool()) {
    return WrongField(path + ".enabled", "must be true or false");
  }
  profile.enabled = item["enabled"].AsBool(true);
  if (!item["config"].IsNull() && !item["config"].IsObject()) {
    return WrongField(path + ".config", "must be a mapping");
  }
  if (item["config"].IsObject()) profile.options = item["config"];
  COPPICE_TRY(CheckFallbacks(profile.options, path));
  return profile;
}

void AddDefaultScheduler(BackendConfig& config) {
  for (const Profile& profile : config.profiles) {
    if (profile.backend == "default") return;
  }
  config.profiles.push_back({std::string(kDefaultScheduler), "default", true, Value::Object()});
}

base::Status ReadProfiles(const Value& profiles, BackendConfig& config) {
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
  for (const Value& item : options["schedulerNames"].Items()) names.push_back(item.ToString());
  return names;
}

Fallback Profile::RequiredGang() const {
  return ReadFallback(options, "requiredGang", Fallback::kReject);
}
Fallback Profile::RequiredGroup() const {
  return ReadFallback(options, "requiredGroup", Fallback::kReject);
}
Fallback Profile::Preferred() const {
  return ReadFallback(options, "preferred", Fallback::kPodAffinity);
}
bool Profile::ReuseReservation() const { return options["reuseReservation"].AsBool(true); }
bool Profile::KueueAdmission() const { return options["admission"].AsString() == "kueue"; }

base::Result<BackendConfig> ParseConfig(const Value& configuration) {
  BackendConfig config;
  const std::string_view compatibility = configuration["compatibility"].AsString();
  if (!compatibility.empty() && compatibility != "grove") {
    return WrongField("compatibility",
                      fmt::format("\"{}\" is not known; \"grove\" is", compatibility));
  }
  if (compatibility == "grove") config.policy = &CompatibilityPolicy::Grove();
  const Value& scheduler = configuration["scheduler"];
  COPPICE_TRY(ReadProfiles(scheduler["profiles"], config));
  config.default_profile = scheduler["defaultProfileName"].ToString(kDefaultScheduler);
  COPPICE_TRY(CheckDefault(config));
  config.unknown_scheduler = scheduler["unknownScheduler"].ToString();
  for (const Value& path : scheduler["plugins"].Items()) config.plugins.push_back(path.ToString());
  for (const Value& item : scheduler["declarations"].Items()) config.declarations.push_back(item);
  return config;
}

BackendConfig AllBackends() {
  BackendConfig config;
  for (const std::string& id : BackendCatalog::Global().Ids()) {
    const std::string name = BackendCatalog::Global().ProfileNameOf(id);
    config.profiles.push_back({name, id, true, Value::Object()});
  }
  return config;
}

}  // namespace coppice::backends
