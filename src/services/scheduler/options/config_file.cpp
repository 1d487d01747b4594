#include "services/scheduler/options/config_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/edit/kaifiles.h"
#include "api/key/kai.h"
#include "api/key/kaifiles.h"
#include "api/view/kaifiles.h"
#include "base/log.h"
#include "engine/registry.h"
#include "json/yaml/yaml.h"

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

base::Result<engine::PluginConfig> ReadPlugin(view::kaifiles::Plugin plugin) {
  engine::PluginConfig out{std::string(plugin.name()), {}};
  if (out.name.empty()) return base::InvalidArgument("tiers: a plugin has no name");
  for (const auto& [name, value] : plugin.arguments()) {
    if (!value.IsString()) {
      return base::InvalidArgument(
          fmt::format("tiers: argument {} of plugin {} must be a string", name, out.name));
    }
    out.arguments.emplace(name, value.AsString());
  }
  for (const json::Member& option : plugin.Json().Members()) {
    if (option.name().starts_with("disable") && option.value.AsBool(false)) {
      out.disabled.emplace(option.name());
    }
  }
  return out;
}

base::Status ReadTiers(view::List<view::kaifiles::Tier> tiers,
                       std::vector<engine::PluginConfig>& plugins) {
  plugins.clear();
  for (const view::kaifiles::Tier tier : tiers) {
    for (const view::kaifiles::Plugin item : tier.plugins()) {
      COPPICE_ASSIGN(engine::PluginConfig plugin, ReadPlugin(item));
      if (auto wrong = engine::WrongArgument(plugin)) {
        return base::InvalidArgument(std::move(*wrong));
      }
      plugins.push_back(std::move(plugin));
    }
  }
  return {};
}

base::Result<base::Duration> ReadBudget(std::string_view text, std::string_view key) {
  const base::Result<base::Duration> duration = base::ParseDuration(text);
  if (!duration || *duration < base::Duration::zero()) {
    return base::InvalidArgument(fmt::format(
        "scenarioSearchBudgets.{} must be a duration such as 30s, zero for no limit", key));
  }
  return duration;
}

base::Status ReadBudgetMap(view::Map<std::string_view> map, std::string_view key, Durations& out) {
  for (const auto [name, text] : map) {
    COPPICE_ASSIGN(out[std::string(name)], ReadBudget(text, fmt::format("{}.{}", key, name)));
  }
  return {};
}

base::Status ReadBudgets(view::kai::ShardSearchBudgets in, engine::SearchBudgets& budgets) {
  using Key = key::kai::ShardSearchBudgets;
  COPPICE_TRY(ReadBudgetMap(in.maxActionSearchDuration(), Key::maxActionSearchDuration,
                            budgets.max_action));
  COPPICE_TRY(ReadBudgetMap(in.maxGeneratorSearchDuration(), Key::maxGeneratorSearchDuration,
                            budgets.max_generator));
  for (const auto [name, limit] : in.maxGeneratorSearchDuration()) {
    if (engine::SearchBudgets::Defaults().max_generator.contains(std::string(name))) continue;
    return base::InvalidArgument(fmt::format(
        "scenarioSearchBudgets.maxGeneratorSearchDuration.{} names no generator", name));
  }
  if (in.has_maxJobSearchDuration()) {
    COPPICE_ASSIGN(budgets.max_job,
                   ReadBudget(in.maxJobSearchDuration(), Key::maxJobSearchDuration));
  }
  if (in.has_minJobSearchDuration()) {
    COPPICE_ASSIGN(budgets.min_job,
                   ReadBudget(in.minJobSearchDuration(), Key::minJobSearchDuration));
  }
  if (budgets.max_job != base::Duration::zero() && budgets.min_job >= budgets.max_job) {
    return base::InvalidArgument(
        "scenarioSearchBudgets.minJobSearchDuration must be below maxJobSearchDuration");
  }
  return {};
}

base::Status ReadCompatibility(view::Map<std::string_view> map,
                               engine::Compatibility& compatibility) {
  for (const auto [name, value] : map) {
    const auto quirk = engine::FindQuirk(name);
    if (!quirk) {
      return base::InvalidArgument(
          fmt::format("compatibility.{} is no switch; see docs/compatibility.md", name));
    }
    if (value != "kai" && value != "fixed") {
      return base::InvalidArgument(fmt::format("compatibility.{} must be kai or fixed", name));
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
  using Key = key::kaifiles::Configuration;
  static constexpr std::string_view kKnown[] = {Key::actions,
                                                Key::tiers,
                                                Key::queueDepthPerAction,
                                                Key::usageDBConfig,
                                                Key::scenarioSearchBudgets,
                                                Key::compatibility};
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
    json::Value item;
    edit::kaifiles::Plugin(item).set_name(plugin.name);
    for (const auto& [key, value] : plugin.arguments) {
      edit::kaifiles::Plugin(item).arguments().Set(key, value);
    }
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
  const view::kaifiles::Configuration in(document);
  engine::Configuration& configuration = out.configuration;
  const json::Value& switches = in.compatibility().Json();
  if (!switches.IsNull() && !switches.IsObject()) {
    return base::InvalidArgument("compatibility must be a mapping of switches to kai or fixed");
  }
  COPPICE_TRY(ReadCompatibility(in.compatibility(), configuration.compatibility));
  const std::vector<std::string> actions = SplitActions(in.actions());
  if (!actions.empty()) {
    configuration.actions = actions;
  } else if (configuration.compatibility.Keeps(engine::Quirk::kActionsRequired)) {
    return base::InvalidArgument("actions must name at least one action, e.g. \"allocate\"");
  }
  if (!in.tiers().Json().IsNull()) COPPICE_TRY(ReadTiers(in.tiers(), configuration.plugins));
  for (const auto& [action, depth] : in.queueDepthPerAction()) {
    if (!depth.IsInt()) {
      return base::InvalidArgument(
          fmt::format("queueDepthPerAction.{} must be an integer", action));
    }
    configuration.queue_depth_per_action[std::string(action)] = static_cast<int>(depth.AsInt());
  }
  COPPICE_TRY(ReadBudgets(in.scenarioSearchBudgets(), configuration.budgets));
  out.usage_db = in.usageDBConfig().Json();
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
  json::Value out;
  const edit::kaifiles::Configuration edit(out);
  edit.set_actions(actions);
  edit.add_tiers().set_plugins(WritePlugins(configuration.plugins));
  for (const auto& [action, depth] : configuration.queue_depth_per_action) {
    edit.queueDepthPerAction().Set(action, depth);
  }
  const engine::SearchBudgets& budgets = configuration.budgets;
  edit.scenarioSearchBudgets()
      .set_maxActionSearchDuration(WriteDurations(budgets.max_action))
      .set_maxGeneratorSearchDuration(WriteDurations(budgets.max_generator))
      .set_maxJobSearchDuration(base::FormatDuration(budgets.max_job))
      .set_minJobSearchDuration(base::FormatDuration(budgets.min_job));
  if (!config.usage_db.IsNull()) edit.set_usageDBConfig(config.usage_db);
  if (json::Value switches = WriteCompatibility(configuration.compatibility); !switches.empty()) {
    edit.set_compatibility(std::move(switches));
  }
  return out;
}

}  // namespace coppice::services::scheduler
