#include "services/scheduler/config_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/log.h"
#include "json/yaml.h"

namespace coppice::services::scheduler {
namespace {

using Durations = std::map<std::string, base::Duration>;

std::string_view Trim(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
}

std::vector<std::string> SplitActions(std::string_view text) {
  std::vector<std::string> actions;
  while (!text.empty()) {
    const size_t comma = text.find(',');
    const std::string_view name = Trim(text.substr(0, comma));
    if (!name.empty()) actions.emplace_back(name);
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  }
  return actions;
}

base::Result<engine::PluginConfig> ReadPlugin(const json::Value& plugin) {
  engine::PluginConfig out{plugin["name"].ToString(), {}};
  if (out.name.empty()) return base::InvalidArgument("tiers: a plugin has no name");
  for (const json::Member& argument : plugin["arguments"].Members()) {
    if (!argument.value.IsString()) {
      return base::InvalidArgument(fmt::format("tiers: argument {} of plugin {} must be a string",
                                               argument.name(), out.name));
    }
    out.arguments.emplace(argument.name(), argument.value.AsString());
  }
  for (const json::Member& option : plugin.Members()) {
    if (option.name().starts_with("disable") && option.value.AsBool(false)) {
      out.disabled.emplace(option.name());
    }
  }
  return out;
}

base::Status ReadTiers(const json::Value& tiers, std::vector<engine::PluginConfig>& plugins) {
  plugins.clear();
  for (const json::Value& tier : tiers.Items()) {
    for (const json::Value& item : tier["plugins"].Items()) {
      COPPICE_ASSIGN(engine::PluginConfig plugin, ReadPlugin(item));
      plugins.push_back(std::move(plugin));
    }
  }
  return {};
}

base::Result<base::Duration> ReadBudget(const json::Value& text, std::string_view key) {
  const base::Result<base::Duration> duration = base::ParseDuration(text.AsString());
  if (!duration || *duration < base::Duration::zero()) {
    return base::InvalidArgument(fmt::format(
        "scenarioSearchBudgets.{} must be a duration such as 30s, zero for no limit", key));
  }
  return duration;
}

base::Status ReadBudgetMap(const json::Value& map, std::string_view key, Durations& out) {
  for (const json::Member& member : map.Members()) {
    COPPICE_ASSIGN(out[std::string(member.name())],
                   ReadBudget(member.value, fmt::format("{}.{}", key, member.name())));
  }
  return {};
}

base::Status ReadBudgets(const json::Value& value, engine::SearchBudgets& budgets) {
  COPPICE_TRY(ReadBudgetMap(value["maxActionSearchDuration"], "maxActionSearchDuration",
                            budgets.max_action));
  COPPICE_TRY(ReadBudgetMap(value["maxGeneratorSearchDuration"], "maxGeneratorSearchDuration",
                            budgets.max_generator));
  for (const json::Member& limit : value["maxGeneratorSearchDuration"].Members()) {
    if (engine::SearchBudgets::Defaults().max_generator.contains(std::string(limit.name())))
      continue;
    return base::InvalidArgument(fmt::format(
        "scenarioSearchBudgets.maxGeneratorSearchDuration.{} names no generator", limit.name()));
  }
  if (value.Has("maxJobSearchDuration")) {
    COPPICE_ASSIGN(budgets.max_job,
                   ReadBudget(value["maxJobSearchDuration"], "maxJobSearchDuration"));
  }
  if (value.Has("minJobSearchDuration")) {
    COPPICE_ASSIGN(budgets.min_job,
                   ReadBudget(value["minJobSearchDuration"], "minJobSearchDuration"));
  }
  if (budgets.max_job != base::Duration::zero() && budgets.min_job >= budgets.max_job) {
    return base::InvalidArgument(
        "scenarioSearchBudgets.minJobSearchDuration must be below maxJobSearchDuration");
  }
  return {};
}

base::Status ReadCompatibility(const json::Value& map, engine::Compatibility& compatibility) {
  for (const json::Member& member : map.Members()) {
    const auto quirk = engine::FindQuirk(member.name());
    if (!quirk) {
      return base::InvalidArgument(
          fmt::format("compatibility.{} is no switch; see docs/compatibility.md", member.name()));
    }
    const std::string_view value = member.value.AsString();
    if (value != "kai" && value != "fixed") {
      return base::InvalidArgument(
          fmt::format("compatibility.{} must be kai or fixed", member.name()));
    }
    compatibility.Set(*quirk, value == "kai");
  }
  return {};
}

json::Value WriteCompatibility(const engine::Compatibility& compatibility) {
  json::Value out = json::Value::Object();
  for (const engine::QuirkInfo& info : engine::Quirks()) {
    const bool kept = compatibility.Keeps(info.quirk);
    if (kept != info.kept) out.Set(info.name, kept ? "kai" : "fixed");
  }
  return out;
}

void WarnAboutKeys(const json::Value& document) {
  static constexpr std::string_view kKnown[] = {
      "actions",      "tiers", "queueDepthPerAction", "usageDBConfig", "scenarioSearchBudgets",
      "compatibility"};
  for (const json::Member& member : document.Members()) {
    if (std::find(std::begin(kKnown), std::end(kKnown), member.name()) == std::end(kKnown)) {
      base::LogWarn("ignoring an unknown key of the scheduler's configuration",
                    {{"key", member.name()}});
    }
  }
}

json::Value WriteDurations(const Durations& durations) {
  json::Value out = json::Value::Object();
  for (const auto& [name, duration] : durations) out.Set(name, base::FormatDuration(duration));
  return out;
}

json::Value WritePlugins(const std::vector<engine::PluginConfig>& plugins) {
  json::Value out = json::Value::Array();
  for (const engine::PluginConfig& plugin : plugins) {
    json::Value item = json::Value::Object({{"name", plugin.name}});
    for (const auto& [key, value] : plugin.arguments) item.Mutable("arguments").Set(key, value);
    for (const std::string& option : plugin.disabled) item.Set(option, true);
    out.Append(std::move(item));
  }
  return out;
}

}  // namespace

base::Result<ConfigFile> ReadConfigFile(const json::Value& document) {
  ConfigFile out;
  if (document.IsNull()) return out;
  if (!document.IsObject()) return base::InvalidArgument("the configuration must be a mapping");
  WarnAboutKeys(document);
  engine::Configuration& configuration = out.configuration;
  if (!document["compatibility"].IsNull() && !document["compatibility"].IsObject()) {
    return base::InvalidArgument("compatibility must be a mapping of switches to kai or fixed");
  }
  COPPICE_TRY(ReadCompatibility(document["compatibility"], configuration.compatibility));
  const std::vector<std::string> actions = SplitActions(document["actions"].AsString());
  if (!actions.empty()) {
    configuration.actions = actions;
  } else if (configuration.compatibility.Keeps(engine::Quirk::kActionsRequired)) {
    return base::InvalidArgument("actions must name at least one action, e.g. \"allocate\"");
  }
  if (!document["tiers"].IsNull()) COPPICE_TRY(ReadTiers(document["tiers"], configuration.plugins));
  for (const json::Member& depth : document["queueDepthPerAction"].Members()) {
    if (!depth.value.IsInt()) {
      return base::InvalidArgument(
          fmt::format("queueDepthPerAction.{} must be an integer", depth.name()));
    }
    configuration.queue_depth_per_action[std::string(depth.name())] =
        static_cast<int>(depth.value.AsInt());
  }
  COPPICE_TRY(ReadBudgets(document["scenarioSearchBudgets"], configuration.budgets));
  out.usage_db = document["usageDBConfig"];
  return out;
}

base::Result<ConfigFile> ParseConfigFile(std::string_view yaml) {
  COPPICE_ASSIGN(const json::Value document, json::ParseYaml(yaml));
  return ReadConfigFile(document);
}

json::Value WriteConfigFile(const ConfigFile& config) {
  const engine::Configuration& configuration = config.configuration;
  std::string actions;
  for (const std::string& action : configuration.actions) {
    actions += (actions.empty() ? "" : ", ") + action;
  }
  json::Value out = json::Value::Object({{"actions", actions}});
  out.Mutable("tiers").Append(
      json::Value::Object({{"plugins", WritePlugins(configuration.plugins)}}));
  for (const auto& [action, depth] : configuration.queue_depth_per_action) {
    out.Mutable("queueDepthPerAction").Set(action, depth);
  }
  const engine::SearchBudgets& budgets = configuration.budgets;
  out.Set(
      "scenarioSearchBudgets",
      json::Value::Object({{"maxActionSearchDuration", WriteDurations(budgets.max_action)},
                           {"maxGeneratorSearchDuration", WriteDurations(budgets.max_generator)},
                           {"maxJobSearchDuration", base::FormatDuration(budgets.max_job)},
                           {"minJobSearchDuration", base::FormatDuration(budgets.min_job)}}));
  if (!config.usage_db.IsNull()) out.Set("usageDBConfig", config.usage_db);
  if (json::Value switches = WriteCompatibility(configuration.compatibility); !switches.empty()) {
    out.Set("compatibility", std::move(switches));
  }
  return out;
}

}  // namespace coppice::services::scheduler
