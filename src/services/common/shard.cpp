#include "services/common/shard.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/edit/kaifiles.h"
#include "api/key/kai.h"
#include "api/view/kai.h"
#include "base/clock.h"
#include "base/quantity.h"
#include "engine/registry.h"
#include "kube/object.h"

namespace coppice::services::platform {
namespace {

using Entries = std::map<std::string, ShardPlugin>;

base::Error Bad(std::string_view field, std::string_view expected) {
  return base::InvalidArgument(fmt::format("spec.{} must be {}", field, expected));
}

Entries DefaultPlugins(const std::string& gpu, const std::string& cpu) {
  const bool pack = gpu != "spread";
  return {
      {"predicates", {true, 1900, {}}},
      {"proportion", {true, 1800, {}}},
      {"priority", {true, 1700, {}}},
      {"nodeavailability", {true, 1600, {}}},
      {"resourcetype", {true, 1500, {}}},
      {"podaffinity", {true, 1400, {}}},
      {"elastic", {true, 1300, {}}},
      {"kubeflow", {true, 1200, {}}},
      {"ray", {true, 1100, {}}},
      {"subgrouporder", {true, 1000, {}}},
      {"taskorder", {true, 900, {}}},
      {"nominatednode", {true, 800, {}}},
      {"dynamicresources", {true, 700, {}}},
      {"minruntime", {true, 600, {}}},
      {"topology", {true, 500, {}}},
      {"snapshot", {true, 400, {}}},
      {"sg-nodelocalgreedy", {true, 360, {}}},
      {"sg-multinodegang", {true, 350, {}}},
      {pack ? "gpupack" : "gpuspread", {true, 300, {}}},
      {"nodeplacement", {true, 200, {{"gpu", gpu}, {"cpu", cpu}}}},
      {"gpusharingorder", {pack, 100, {}}},
  };
}

Entries DefaultActions(bool consolidate) {
  return {{"allocate", {true, 500, {}}},
          {"consolidation", {consolidate, 400, {}}},
          {"reclaim", {true, 300, {}}},
          {"preempt", {true, 200, {}}},
          {"stalegangeviction", {true, 100, {}}}};
}

base::Status OverridePriority(const json::Value& priority, const std::string& field,
                              ShardPlugin& entry) {
  if (!priority.IsInt()) return Bad(field, "an integer");
  entry.priority = static_cast<int>(priority.AsInt());
  return {};
}

// Enabled and priority are laid over one by one, arguments as a whole; new names are enabled.
// Actions are overridden as plugins are, and have no arguments.
base::Status Override(const json::Value& overrides, std::string_view field, Entries& entries) {
  const view::Map<view::kai::ShardPlugin> given(overrides);
  for (const auto& [name, plugin] : given) {
    ShardPlugin& entry = entries[std::string(name)];
    if (plugin.has_enabled()) entry.enabled = plugin.enabled();
    if (const auto* priority = plugin.Json().Find(key::kai::ShardPlugin::priority)) {
      COPPICE_TRY(OverridePriority(*priority, fmt::format("{}.{}.priority", field, name), entry));
    }
    if (!plugin.has_arguments()) continue;
    entry.arguments.clear();
    for (const auto& [argument, value] : plugin.arguments()) {
      entry.arguments.emplace(argument, value);
    }
  }
  return {};
}

base::Result<std::string> Strategy(view::kai::ShardPlacement placement, std::string_view resource) {
  const std::string strategy = placement.Json()[resource].ToString("binpack");
  if (!engine::IsPlacement(resource, strategy)) {
    return Bad(fmt::format("placementStrategy.{}", resource), engine::KnownPlacements(resource));
  }
  return strategy;
}

base::Status CheckArguments(const Entries& plugins) {
  for (const auto& [name, plugin] : plugins) {
    if (!plugin.enabled) continue;
    if (auto wrong = engine::WrongArgument({name, plugin.arguments})) {
      return base::InvalidArgument("spec.plugins: " + *wrong);
    }
  }
  return {};
}

void SetArguments(view::kai::SchedulingShardSpec spec, Entries& plugins) {
  const auto set = [&](const char* plugin, const char* argument, std::string value) {
    plugins[plugin].arguments[argument] = std::move(value);
  };
  const auto least = spec.minRuntime();
  if (spec.has_kValue()) set("proportion", "kValue", fmt::format("{}", spec.kValue()));
  if (least.has_preemptMinRuntime()) {
    set("minruntime", "defaultPreemptMinRuntime", std::string(least.preemptMinRuntime()));
  }
  if (least.has_reclaimMinRuntime()) {
    set("minruntime", "defaultReclaimMinRuntime", std::string(least.reclaimMinRuntime()));
  }
}

base::Status CheckDepths(const Shard& shard) {
  for (const json::Member& depth : shard.queue_depth_per_action.Members()) {
    const auto action = shard.actions.find(std::string(depth.name()));
    if (action == shard.actions.end() || !action->second.enabled) {
      return Bad(fmt::format("queueDepthPerAction.{}", depth.name()),
                 "the name of an enabled action");
    }
  }
  return {};
}

base::Status ReadMemory(view::kai::SchedulingShardSpec spec, Shard& shard) {
  if (spec.has_goMemLimitRatio()) {
    shard.go_mem_limit_ratio = spec.goMemLimitRatio();
    if (shard.go_mem_limit_ratio <= 0 || shard.go_mem_limit_ratio > 1) {
      return Bad("goMemLimitRatio", "above 0 and at most 1");
    }
  }
  if (spec.has_goMemLimit()) {
    const auto quantity = base::Quantity::Parse(spec.goMemLimit().AsString());
    if (!quantity || quantity->Sign() <= 0) return Bad("goMemLimit", "a positive quantity");
    shard.go_mem_limit = std::to_string(quantity->Value());
  }
  return {};
}

base::Result<base::Duration> Budget(const json::Value& budgets, std::string_view key,
                                    base::Duration fallback) {
  const json::Value* text = budgets.Find(key);
  if (!text) return fallback;
  const auto duration = base::ParseDuration(text->AsString());
  if (!duration || *duration < base::Duration::zero()) {
    return Bad(fmt::format("scenarioSearchBudgets.{}", key), "a duration of at least zero");
  }
  return *duration;
}

base::Status CheckBudgets(const json::Value& budgets) {
  using Key = key::kai::ShardSearchBudgets;
  COPPICE_ASSIGN(const base::Duration most,
                 Budget(budgets, Key::maxJobSearchDuration, std::chrono::minutes(4)));
  COPPICE_ASSIGN(const base::Duration least, Budget(budgets, Key::minJobSearchDuration, {}));
  if (most != base::Duration::zero() && least >= most) {
    return Bad("scenarioSearchBudgets.minJobSearchDuration", "below maxJobSearchDuration");
  }
  return {};
}

}  // namespace

base::Result<Shard> ReadShard(const json::Value& object) {
  const auto spec = view::kai::SchedulingShard(object).spec();
  using Placement = key::kai::ShardPlacement;
  Shard shard;
  shard.name = kube::Name(object);
  shard.partition_label_value = spec.partitionLabelValue();
  COPPICE_ASSIGN(const std::string gpu, Strategy(spec.placementStrategy(), Placement::gpu));
  COPPICE_ASSIGN(const std::string cpu, Strategy(spec.placementStrategy(), Placement::cpu));
  shard.plugins = DefaultPlugins(gpu, cpu);
  shard.actions = DefaultActions(gpu != "spread" && cpu != "spread");
  SetArguments(spec, shard.plugins);
  using Key = key::kai::SchedulingShardSpec;
  COPPICE_TRY(Override(spec.plugins().Json(), Key::plugins, shard.plugins));
  COPPICE_TRY(CheckArguments(shard.plugins));
  COPPICE_TRY(Override(spec.actions().Json(), Key::actions, shard.actions));
  for (const auto& [flag, value] : spec.args()) shard.args.emplace(flag, value);
  COPPICE_TRY(ReadMemory(spec, shard));
  shard.queue_depth_per_action = spec.queueDepthPerAction().Json();
  COPPICE_TRY(CheckDepths(shard));
  shard.usage_db = spec.usageDBConfig().Json();
  shard.search_budgets = spec.scenarioSearchBudgets().Json();
  COPPICE_TRY(CheckBudgets(shard.search_budgets));
  return shard;
}

std::vector<std::string> ByPriority(const Entries& entries) {
  std::vector<std::string> names;
  for (const auto& [name, entry] : entries) {
    if (entry.enabled) names.push_back(name);
  }
  std::stable_sort(names.begin(), names.end(), [&](const std::string& a, const std::string& b) {
    return entries.at(a).priority > entries.at(b).priority;
  });
  return names;
}

json::Value SchedulerConfiguration(const Shard& shard) {
  std::string actions;
  for (const std::string& name : ByPriority(shard.actions)) {
    actions += (actions.empty() ? "" : ", ") + name;
  }
  json::Value file;
  const edit::kaifiles::Configuration config(file);
  config.set_actions(actions);
  const edit::kaifiles::Tier tier = config.add_tiers().set_plugins(json::Value::Array());
  for (const std::string& name : ByPriority(shard.plugins)) {
    const edit::kaifiles::Plugin plugin = tier.add_plugins().set_name(name);
    for (const auto& [key, value] : shard.plugins.at(name).arguments) {
      plugin.arguments().Set(key, value);
    }
  }
  if (!shard.queue_depth_per_action.empty()) {
    config.set_queueDepthPerAction(shard.queue_depth_per_action);
  }
  if (!shard.usage_db.IsNull()) config.set_usageDBConfig(shard.usage_db);
  if (!shard.search_budgets.IsNull()) config.set_scenarioSearchBudgets(shard.search_budgets);
  return file;
}

}  // namespace coppice::services::platform
