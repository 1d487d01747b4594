#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/framework/framework.h"
#include "engine/framework/plugins.h"
#include "engine/model/config.h"

// The tables of plugins and actions, from which a configuration selects by name.

namespace coppice::engine {

struct ActionContext;

// A plugin that a configuration may name: its points, and the function that reads its arguments and
// options into the settings of a cycle.
struct PluginEntry {
  std::string_view name;
  Points points;
  void (*read)(const Configuration&, const PluginConfig&, Plugins&);
};
std::span<const PluginEntry> PluginTable();
// Null if there is none of that name.
const PluginEntry* FindPlugin(std::string_view name);

// A step of a cycle. The configuration lists the steps in order.
struct ActionEntry {
  std::string_view name;
  void (*run)(ActionContext&);
};
std::span<const ActionEntry> ActionTable();
// False if there is no such action.
bool RunNamedAction(std::string_view name, ActionContext& context);

Plugins ReadPlugins(const Configuration& configuration);

// The names of placement strategies for "gpu" or "cpu": as text, and a check of one name.
std::string KnownPlacements(std::string_view resource);
bool IsPlacement(std::string_view resource, std::string_view name);
// The error in an argument of the plugin that must be rejected rather than ignored.
std::optional<std::string> WrongArgument(const PluginConfig& plugin);

}  // namespace coppice::engine
