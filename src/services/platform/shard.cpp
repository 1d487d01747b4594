#include "services/platform/shard.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/clock.h"
#include "base/quantity.h"
#include "kube/object.h"

namespace coppice::services::platform {
namespace {

using Entries = std::map<std::string, ShardPlugin>;

base::Error Bad(std::string_view field, std::string_view expected) {
  return base::InvalidArgument(fmt::format("spec.{} must be {}", field, expected));
}

Entries DefaultPlugins(const std::string& gpu, const std::string& cpu) {
  const bool pack = gpu == "binpack";
  Entries plugins = {
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
      {"nodeplacement", {true, 200, {{"gpu", gpu}, {"cpu", cpu}}}},
  };
  plugins[pack ? "gpupack" : "gpuspread"] = {true, 300, {}};
  plugins["gpusharingorder"] = {pack, 100, {}};
  return plugins;
}

Entries DefaultActions(bool consolidate) {
  return {{"allocate", {true, 500, {}}},
          {"consolidation", {consolidate, 400, {}}},
          {"reclaim", {true, 300, {}}},
          {"preempt", {true, 200, {}}},
          {"stalegangeviction", {true, 100, {}}}};
}

// Enabled and priority are laid over one by one, arguments as a whole; new names are enabled.
base::Status Override(const json::Value& overrides, std::string_view field, Entries& entries) {
  for (const json::Member& member : overrides.Members()) {
    ShardPlugin& entry = entries[std::string(member.name())];
    if (const json::Value* enabled = member.value.Find("enabled"))
      entry.enabled = enabled->AsBool();
    if (const json::Value* priority = member.value.Find("priority")) {
      if (!priority->IsInt()) {
        return Bad(fmt::format("{}.{}.priority", field, member.name()), "an integer");
      }
      entry.priority = static_cast<int>(priority->AsInt());
    }
    const json::Value* arguments = member.value.Find("arguments");
    if (!arguments) continue;
    entry.arguments.clear();
    for (const json::Member& argument : arguments->Members()) {
      entry.arguments.emplace(argument.name(), argument.value.AsString());
    }
  }
  return {};
}

base::Result<std::string> Strategy(const json::Value& spec, const char* resource) {
  const std::string strategy = spec["placementStrategy"][resource].ToString("binpack");
  if (strategy != "binpack" && strategy != "spread") {
    return Bad(fmt::format("placementStrategy.{}", resource), "binpack or spread");
  }
  return strategy;
}

void SetArgument(Entries& plugins, const char* plugin, const char* argument,
                 const json::Value& value) {
  if (value.IsNull()) return;
  plugins[plugin].arguments[argument] =
      value.IsString() ? value.ToString() : fmt::format("{}", value.AsDouble());
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

base::Status ReadMemory(const json::Value& spec, Shard& shard) {
  if (const json::Value* ratio = spec.Find("goMemLimitRatio")) {
    shard.go_mem_limit_ratio = ratio->AsDouble();
    if (shard.go_mem_limit_ratio <= 0 || shard.go_mem_limit_ratio > 1) {
      return Bad("goMemLimitRatio", "above 0 and at most 1");
    }
  }
  if (const json::Value* limit = spec.Find("goMemLimit")) {
    const auto quantity = base::Quantity::Parse(limit->AsString());
    if (!quantity || quantity->Sign() <= 0) return Bad("goMemLimit", "a positive quantity");
    shard.go_mem_limit = std::to_string(quantity->Value());
  }
  return {};
}

base::Result<base::Duration> Budget(const json::Value& budgets, const char* key,
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
  COPPICE_ASSIGN(const base::Duration most,
                 Budget(budgets, "maxJobSearchDuration", std::chrono::minutes(4)));
  COPPICE_ASSIGN(const base::Duration least, Budget(budgets, "minJobSearchDuration", {}));
  if (most != base::Duration::zero() && least >= most) {
    return Bad("scenarioSearchBudgets.minJobSearchDuration", "below maxJobSearchDuration");
  }
  return {};
}

}  // namespace

base::Result<Shard> ReadShard(const json::Value& object) {
  const json::Value& spec = object["spec"];
  Shard shard;
  shard.name = kube::Name(object);
  shard.partition_label_value = spec["partitionLabelValue"].ToString();
  COPPICE_ASSIGN(const std::string gpu, Strategy(spec, "gpu"));
  COPPICE_ASSIGN(const std::string cpu, Strategy(spec, "cpu"));
  shard.plugins = DefaultPlugins(gpu, cpu);
  shard.actions = DefaultActions(gpu == "binpack" && cpu == "binpack");
  SetArgument(shard.plugins, "proportion", "kValue", spec["kValue"]);
  SetArgument(shard.plugins, "minruntime", "defaultPreemptMinRuntime",
              spec["minRuntime"]["preemptMinRuntime"]);
  SetArgument(shard.plugins, "minruntime", "defaultReclaimMinRuntime",
              spec["minRuntime"]["reclaimMinRuntime"]);
  COPPICE_TRY(Override(spec["plugins"], "plugins", shard.plugins));
  COPPICE_TRY(Override(spec["actions"], "actions", shard.actions));
  for (const json::Member& argument : spec["args"].Members()) {
    shard.args.emplace(argument.name(), argument.value.AsString());
  }
  COPPICE_TRY(ReadMemory(spec, shard));
  shard.queue_depth_per_action = spec["queueDepthPerAction"];
  COPPICE_TRY(CheckDepths(shard));
  shard.usage_db = spec["usageDBConfig"];
  shard.search_budgets = spec["scenarioSearchBudgets"];
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
  json::Value plugins = json::Value::Array();
  for (const std::string& name : ByPriority(shard.plugins)) {
    json::Value plugin = json::Value::Object({{"name", name}});
    for (const auto& [key, value] : shard.plugins.at(name).arguments) {
      plugin.Mutable("arguments").Set(key, value);
    }
    plugins.Append(std::move(plugin));
  }
  json::Value config = json::Value::Object({{"actions", actions}});
  config.Mutable("tiers").Append(json::Value::Object({{"plugins", std::move(plugins)}}));
  if (!shard.queue_depth_per_action.empty()) {
    config.Set("queueDepthPerAction", shard.queue_depth_per_action);
  }
  if (!shard.usage_db.IsNull()) config.Set("usageDBConfig", shard.usage_db);
  if (!shard.search_budgets.IsNull()) config.Set("scenarioSearchBudgets", shard.search_budgets);
  return config;
}

}  // namespace coppice::services::platform
