#include <fmt/format.h>

#include <charconv>

#include "services/binder/model/plugin.h"
#include "services/binder/plugins/dynamic_resources.h"
#include "services/binder/plugins/gpu_sharing_plugins.h"
#include "services/binder/plugins/volume_binding.h"

namespace coppice::services::binder {
namespace {

base::Error BadArgument(const std::string& plugin, std::string_view argument,
                        std::string_view expected) {
  return base::InvalidArgument(
      fmt::format("argument {} of binder plugin {} must be {}", argument, plugin, expected));
}

base::Result<base::Duration> Timeout(const std::string& plugin, const PluginConfig& config) {
  const auto found = config.arguments.find(kBindTimeoutArgument);
  if (found == config.arguments.end()) return BadArgument(plugin, kBindTimeoutArgument, "given");
  int64_t seconds = 0;
  const std::string& text = found->second;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc() || end != text.data() + text.size()) {
    return BadArgument(plugin, kBindTimeoutArgument, "a number of seconds");
  }
  return base::Duration(std::chrono::seconds(seconds));
}

base::Result<bool> Flag(const std::string& plugin, const PluginConfig& config,
                        const std::string& argument) {
  const auto found = config.arguments.find(argument);
  if (found == config.arguments.end()) return BadArgument(plugin, argument, "given");
  if (found->second == "true") return true;
  if (found->second == "false") return false;
  return BadArgument(plugin, argument, "true or false");
}

// HAMi's limit is written into the map that GPU sharing makes.
base::Status CheckHamiCore(const PluginConfigs& configs) {
  const auto sharing = configs.find(kGpuSharing);
  if (sharing != configs.end() && sharing->second.enabled &&
      sharing->second.priority > configs.at(kHamiCore).priority) {
    return {};
  }
  return base::InvalidArgument(
      "binder plugin hamicore needs gpusharing to be enabled with a higher priority");
}

base::Result<std::unique_ptr<Plugin>> MakePlugin(const std::string& name, kube::Runtime runtime,
                                                 const PluginConfigs& configs) {
  const PluginConfig& config = configs.at(name);
  if (name == kVolumeBinding) {
    COPPICE_ASSIGN(const base::Duration timeout, Timeout(name, config));
    return MakeVolumeBinding(runtime, timeout);
  }
  if (name == kDynamicResources) {
    COPPICE_ASSIGN(const base::Duration timeout, Timeout(name, config));
    return MakeDynamicResources(runtime, timeout);
  }
  if (name == kGpuSharing) {
    COPPICE_ASSIGN(const bool cdi, Flag(name, config, kCdiArgument));
    return MakeGpuSharing(runtime.client, cdi);
  }
  if (name == kHamiCore) {
    COPPICE_TRY(CheckHamiCore(configs));
    return MakeHamiCore(runtime.client);
  }
  return base::InvalidArgument(fmt::format("there is no binder plugin called {}", name));
}

}  // namespace

base::Result<std::vector<NamedPlugin>> MakePlugins(kube::Runtime runtime, const Options& options) {
  std::vector<NamedPlugin> plugins;
  for (const std::string& name : PluginOrder(options.plugins)) {
    COPPICE_ASSIGN(std::unique_ptr<Plugin> plugin, MakePlugin(name, runtime, options.plugins));
    plugins.push_back({name, std::move(plugin)});
  }
  return plugins;
}

}  // namespace coppice::services::binder
