#include "engine/plugins.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

namespace coppice::engine {
namespace {

using Arguments = std::map<std::string, std::string>;

// Arguments that do not parse keep their default.
void ReadDouble(const Arguments& arguments, const char* key, double& value) {
  auto found = arguments.find(key);
  if (found == arguments.end() || found->second.empty()) return;
  char* end = nullptr;
  const double read = std::strtod(found->second.c_str(), &end);
  if (end == found->second.c_str() + found->second.size()) value = read;
}

void ReadDuration(const Arguments& arguments, const char* key, base::Duration& value) {
  auto found = arguments.find(key);
  if (found == arguments.end()) return;
  const auto read = base::ParseDuration(found->second);
  if (read.ok()) value = std::max(*read, base::Duration{});
}

Placement ReadPlacement(const Arguments& arguments, const char* key) {
  auto found = arguments.find(key);
  return found != arguments.end() && found->second == "spread" ? Placement::kSpread
                                                               : Placement::kBinpack;
}

void ReadProportion(const Configuration& configuration, const PluginConfig& plugin,
                    Plugins& plugins) {
  plugins.proportion = true;
  plugins.queue_order = configuration.Uses(plugin, "disableQueueOrder");
  plugins.reclaim_of_shares = configuration.Uses(plugin, "disableReclaimable");
  ReadDouble(plugin.arguments, "kValue", plugins.usage_weight);
  plugins.usage_weight = std::max(plugins.usage_weight, 0.0);
  // Upstream documents the first name and reads the second.
  if (!configuration.compatibility.Keeps(Quirk::kMultiplierSpelling)) {
    ReadDouble(plugin.arguments, "reclaimerUtilizationMultiplier", plugins.saturation_multiplier);
  }
  ReadDouble(plugin.arguments, "relcaimerSaturationMultiplier", plugins.saturation_multiplier);
  plugins.saturation_multiplier = std::max(plugins.saturation_multiplier, 1.0);
}

void ReadMinRuntime(const Configuration& configuration, const PluginConfig& plugin,
                    Plugins& plugins) {
  plugins.reclaim_minruntime = configuration.Uses(plugin, "disableReclaimable");
  plugins.preempt_minruntime = configuration.Uses(plugin, "disablePreemptable");
  ReadDuration(plugin.arguments, "defaultReclaimMinRuntime", plugins.reclaim_min_runtime);
  ReadDuration(plugin.arguments, "defaultPreemptMinRuntime", plugins.preempt_min_runtime);
  auto method = plugin.arguments.find("reclaimResolveMethod");
  plugins.reclaim_by_queue = method != plugin.arguments.end() && method->second == "queue";
}

std::vector<std::string> SplitList(const std::string& list) {
  std::vector<std::string> names;
  for (size_t from = 0; from <= list.size();) {
    const size_t comma = std::min(list.find(',', from), list.size());
    std::string name = list.substr(from, comma - from);
    name.erase(0, name.find_first_not_of(' '));
    name.erase(name.find_last_not_of(' ') + 1);
    if (!name.empty()) names.push_back(name);
    from = comma + 1;
  }
  return names;
}

void ReadNuma(const Configuration& configuration, const PluginConfig& plugin, Plugins& plugins) {
  plugins.numa = true;
  plugins.numa_predicate = configuration.Uses(plugin, "disablePredicate");
  plugins.numa_scores = configuration.Uses(plugin, "disableNodeOrder");
  if (auto list = plugin.arguments.find("ignoreList"); list != plugin.arguments.end()) {
    plugins.numa_ignored = SplitList(list->second);
  }
  static const std::set<std::string> kFalse{"0", "f", "F", "FALSE", "false", "False"};
  auto reconstruct = plugin.arguments.find("reconstructAvailable");
  plugins.numa_reconstruct =
      reconstruct == plugin.arguments.end() || !kFalse.contains(reconstruct->second);
}

void ReadTopology(const Configuration& configuration, const PluginConfig& plugin,
                  Plugins& plugins) {
  plugins.topology = true;
  plugins.topology_scores = configuration.Uses(plugin, "disableNodeOrder");
}

void ReadNodePlacement(const Configuration& configuration, const PluginConfig& plugin,
                       Plugins& plugins) {
  if (!configuration.Uses(plugin, "disableNodeOrder")) return;
  plugins.gpu_placement = ReadPlacement(plugin.arguments, "gpu");
  plugins.cpu_placement = ReadPlacement(plugin.arguments, "cpu");
}

template <typename List, typename Item>
void AddOnce(List& list, Item item) {
  if (std::find(list.begin(), list.end(), item) == list.end()) list.push_back(item);
}

template <Plugins::JobOrder kOrder>
void ReadJobOrder(const Configuration& configuration, const PluginConfig& plugin,
                  Plugins& plugins) {
  if (configuration.Uses(plugin, "disableJobOrder")) AddOnce(plugins.job_order, kOrder);
}

template <Plugins::Generator kGenerator>
void ReadGenerator(const Configuration&, const PluginConfig&, Plugins& plugins) {
  AddOnce(plugins.generators, kGenerator);
}

// Read where tasks and sub-groups are ordered, or served outside the engine.
void ReadElsewhere(const Configuration&, const PluginConfig&, Plugins&) {}

// Plugins that are on or off, and the option that turns off what they do.
struct Switch {
  bool Plugins::* on;
  const char* option;
};

const Switch* FindSwitch(const std::string& name) {
  static const std::map<std::string, Switch> kSwitches{
      {"predicates", {&Plugins::predicates, "disablePredicate"}},
      {"nodeavailability", {&Plugins::nodeavailability, "disableNodeOrder"}},
      {"gpusharingorder", {&Plugins::gpusharingorder, "disableNodeOrder"}},
      {"resourcetype", {&Plugins::resourcetype, "disableNodeOrder"}},
      {"nominatednode", {&Plugins::nominatednode, "disableNodeOrder"}},
      {"podaffinity", {&Plugins::podaffinity, "disableNodeOrder"}},
      {"gpupack", {&Plugins::gpupack, ""}},
      {"gpuspread", {&Plugins::gpuspread, ""}},
      {"dynamicresources", {&Plugins::dynamicresources, ""}},
  };
  const auto found = kSwitches.find(name);
  return found == kSwitches.end() ? nullptr : &found->second;
}

using Reader = void (*)(const Configuration&, const PluginConfig&, Plugins&);

Reader FindReader(const std::string& name) {
  static const std::map<std::string, Reader> kReaders{
      {"proportion", ReadProportion},
      {"minruntime", ReadMinRuntime},
      {"topology", ReadTopology},
      {"numa", ReadNuma},
      {"nodeplacement", ReadNodePlacement},
      {"priority", ReadJobOrder<Plugins::JobOrder::kPriority>},
      {"elastic", ReadJobOrder<Plugins::JobOrder::kElastic>},
      {"sg-nodelocalgreedy", ReadGenerator<Plugins::Generator::kNodeLocalGreedy>},
      {"sg-multinodegang", ReadGenerator<Plugins::Generator::kMultiNodeGang>},
      {"kubeflow", ReadElsewhere},
      {"ray", ReadElsewhere},
      {"taskorder", ReadElsewhere},
      {"subgrouporder", ReadElsewhere},
      {"snapshot", ReadElsewhere},
      {"reflectjoborder", ReadElsewhere},
  };
  const auto found = kReaders.find(name);
  return found == kReaders.end() ? nullptr : found->second;
}

}  // namespace

Plugins ReadPlugins(const Configuration& configuration) {
  Plugins plugins;
  for (const PluginConfig& plugin : configuration.plugins) {
    if (const Switch* found = FindSwitch(plugin.name)) {
      plugins.*found->on |= configuration.Uses(plugin, found->option);
    } else if (const Reader reader = FindReader(plugin.name)) {
      reader(configuration, plugin, plugins);
    } else {
      plugins.unknown.push_back(plugin.name);
    }
  }
  return plugins;
}

}  // namespace coppice::engine
