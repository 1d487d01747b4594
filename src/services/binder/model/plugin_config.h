#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/value.h"

namespace coppice::services::binder {

inline constexpr const char* kVolumeBinding = "volumebinding";
inline constexpr const char* kDynamicResources = "dynamicresources";
inline constexpr const char* kGpuSharing = "gpusharing";
inline constexpr const char* kHamiCore = "hamicore";
// Their arguments.
inline constexpr const char* kBindTimeoutArgument = "bindTimeoutSeconds";
inline constexpr const char* kCdiArgument = "cdiEnabled";

struct PluginConfig {
  bool enabled = true;
  int priority = 0;
  std::map<std::string, std::string> arguments;
};

using PluginConfigs = std::map<std::string, PluginConfig>;

PluginConfigs DefaultPluginConfigs();
// The defaults overridden by a `--plugins` JSON object: enabled and priority individually,
// arguments as a whole.
base::Result<PluginConfigs> MergePluginConfigs(std::string_view overrides);
// Names of the enabled plugins: higher priority first, then by name.
std::vector<std::string> PluginOrder(const PluginConfigs& configs);

}  // namespace coppice::services::binder
