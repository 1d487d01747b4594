#include "services/binder/model/plugin_config.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/key/kai.h"
#include "json/parse.h"

namespace coppice::services::binder {
namespace {

base::Result<std::map<std::string, std::string>> ReadArguments(const std::string& plugin,
                                                               const json::Value& object) {
  std::map<std::string, std::string> out;
  for (const json::Member& member : object.Members()) {
    if (!member.value.IsString()) {
      return base::InvalidArgument(
          fmt::format("argument {} of plugin {} is not a string", member.name(), plugin));
    }
    out.emplace(member.name(), member.value.AsString());
  }
  return out;
}

base::Status Override(const std::string& name, const json::Value& value, PluginConfig& config) {
  using Key = key::kai::BinderPlugin;
  if (const json::Value* enabled = value.Find(Key::enabled)) {
    if (!enabled->IsBool()) {
      return base::InvalidArgument(fmt::format("enabled of plugin {} is not a boolean", name));
    }
    config.enabled = enabled->AsBool();
  }
  if (const json::Value* priority = value.Find(Key::priority)) {
    if (!priority->IsInt()) {
      return base::InvalidArgument(fmt::format("priority of plugin {} is not an integer", name));
    }
    config.priority = static_cast<int>(priority->AsInt());
  }
  if (const json::Value* arguments = value.Find(Key::arguments)) {
    COPPICE_ASSIGN(config.arguments, ReadArguments(name, *arguments));
  }
  return {};
}

}  // namespace

PluginConfigs DefaultPluginConfigs() {
  return {
      {kVolumeBinding, {true, 300, {{kBindTimeoutArgument, "120"}}}},
      {kDynamicResources, {true, 200, {{kBindTimeoutArgument, "120"}}}},
      {kGpuSharing, {true, 100, {{kCdiArgument, "false"}}}},
      {kHamiCore, {false, 50, {}}},
  };
}

base::Result<PluginConfigs> MergePluginConfigs(std::string_view overrides) {
  PluginConfigs configs = DefaultPluginConfigs();
  if (overrides.empty()) return configs;
  COPPICE_ASSIGN(const json::Value object, json::Parse(overrides));
  for (const json::Member& member : object.Members()) {
    const std::string name(member.name());
    COPPICE_TRY(Override(name, member.value, configs[name]));
  }
  return configs;
}

std::vector<std::string> PluginOrder(const PluginConfigs& configs) {
  std::vector<std::string> names;
  for (const auto& [name, config] : configs) {
    if (config.enabled) names.push_back(name);
  }
  std::stable_sort(names.begin(), names.end(), [&](const std::string& a, const std::string& b) {
    return configs.at(a).priority > configs.at(b).priority;
  });
  return names;
}

}  // namespace coppice::services::binder
