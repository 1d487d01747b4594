#include "engine/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "engine/actions/actions.h"
#include "engine/actions/search/multi_node_gang.h"
#include "engine/actions/search/node_local_greedy.h"
#include "engine/framework/framework.h"
#include "engine/framework/ordered.h"
#include "engine/order/job_rank.h"

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

struct PlacementName {
  std::string_view name;
  Placement placement;
};
constexpr PlacementName kPlacements[] = {{"binpack", Placement::kBinpack},
                                         {"spread", Placement::kSpread},
                                         {"leastfragmentation", Placement::kLeastFragmentation}};

// leastfragmentation does not consider CPU on nodes without GPUs.
std::span<const PlacementName> PlacementsOf(std::string_view resource) {
  return std::span(kPlacements).first(resource == "gpu" ? 3 : 2);
}

Placement ReadPlacement(const Arguments& arguments, const char* key) {
  auto found = arguments.find(key);
  if (found == arguments.end()) return Placement::kBinpack;
  for (const auto& [name, placement] : PlacementsOf(key)) {
    if (name == found->second) return placement;
  }
  return Placement::kBinpack;
}

void ReadProportion(const Configuration& configuration, const PluginConfig& plugin,
                    Plugins& plugins) {
  plugins.proportion = true;
  plugins.queue_order = configuration.Uses(plugin, "disableQueueOrder");
  plugins.reclaim_of_shares = configuration.Uses(plugin, "disableReclaimable");
  ReadDouble(plugin.arguments, "kValue", plugins.usage_weight);
  plugins.usage_weight = std::max(plugins.usage_weight, 0.0);
  // Upstream documents the first name but reads the second.
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

template <typename Order>
void ReadJobOrder(const Configuration& configuration, const PluginConfig& plugin,
                  Plugins& plugins) {
  if (!configuration.Uses(plugin, "disableJobOrder")) return;
  AddOnce(plugins.job_orders, static_cast<uint8_t>(PositionOf<JobOrders>(Order::kName)));
}

template <const ScenarioSource& kSource>
void ReadSource(const Configuration&, const PluginConfig&, Plugins& plugins) {
  AddOnce(plugins.scenario_sources, &kSource);
}

// A plugin without settings.
template <bool Plugins::* kOn>
void Switch(const Configuration&, const PluginConfig&, Plugins& plugins) {
  plugins.*kOn = true;
}

// The same, unless the option that disables this point is set.
template <bool Plugins::* kOn>
void ScoreSwitch(const Configuration& configuration, const PluginConfig& plugin, Plugins& plugins) {
  plugins.*kOn |= configuration.Uses(plugin, "disableNodeOrder");
}
template <bool Plugins::* kOn>
void FilterSwitch(const Configuration& configuration, const PluginConfig& plugin,
                  Plugins& plugins) {
  plugins.*kOn |= configuration.Uses(plugin, "disablePredicate");
}

// Read by the code that orders tasks and sub-groups (ReadTaskOrders, Cluster), or implemented
// elsewhere.
void ReadElsewhere(const Configuration&, const PluginConfig&, Plugins&) {}

constexpr PluginEntry kPlugins[] = {
    // Filters and scores.
    {"predicates", Point::kFilter | Point::kScore | Point::kExplain,
     FilterSwitch<&Plugins::predicates>},
    {"dynamicresources", Point::kFilter | Point::kReserve | Point::kExplain,
     Switch<&Plugins::dynamicresources>},
    {"numa", Point::kFilter | Point::kScore | Point::kReserve, ReadNuma},
    {"topology", Point::kNodeSets | Point::kScore, ReadTopology},
    {"nominatednode", Point::kScore, ScoreSwitch<&Plugins::nominatednode>},
    {"podaffinity", Point::kScore, ScoreSwitch<&Plugins::podaffinity>},
    {"gpusharingorder", Point::kScore, ScoreSwitch<&Plugins::gpusharingorder>},
    {"nodeavailability", Point::kScore, ScoreSwitch<&Plugins::nodeavailability>},
    {"resourcetype", Point::kScore, ScoreSwitch<&Plugins::resourcetype>},
    {"nodeplacement", Point::kScore, ReadNodePlacement},
    {"gpupack", Point::kGpuOrder, Switch<&Plugins::gpupack>},
    {"gpuspread", Point::kGpuOrder, Switch<&Plugins::gpuspread>},
    // Order.
    {"proportion", Point::kShare | Point::kVictims, ReadProportion},
    {"priority", Point::kJobOrder, ReadJobOrder<PriorityOrder>},
    {"elastic", Point::kJobOrder, ReadJobOrder<ElasticOrder>},
    {"subgrouporder", Point::kSubGroupOrder, ReadElsewhere},
    {"kubeflow", Point::kTaskOrder, ReadElsewhere},
    {"ray", Point::kTaskOrder, ReadElsewhere},
    {"taskorder", Point::kTaskOrder, ReadElsewhere},
    // Victims.
    {"minruntime", Point::kVictims, ReadMinRuntime},
    {"sg-nodelocalgreedy", Point::kVictimOrder, ReadSource<kNodeLocalGreedy>},
    {"sg-multinodegang", Point::kVictimOrder, ReadSource<kMultiNodeGang>},
    // Endpoints of the scheduler's server.
    {"snapshot", Point::kOutside, ReadElsewhere},
    {"reflectjoborder", Point::kOutside, ReadElsewhere},
};

constexpr ActionEntry kActions[] = {
    {"allocate", RunAllocate},                    // Places waiting jobs on free capacity.
    {"consolidation", RunConsolidation},          // Moves pods so that a job fits.
    {"reclaim", RunReclaim},                      // Takes from queues above their fair share.
    {"preempt", RunPreempt},                      // Takes from lower priorities in the same queue.
    {"stalegangeviction", RunStaleGangEviction},  // Evicts gangs that run in part.
};

}  // namespace

std::span<const PluginEntry> PluginTable() { return kPlugins; }

std::span<const ActionEntry> ActionTable() { return kActions; }

const PluginEntry* FindPlugin(std::string_view name) {
  const auto* found = std::find_if(std::begin(kPlugins), std::end(kPlugins),
                                   [&](const PluginEntry& entry) { return entry.name == name; });
  return found == std::end(kPlugins) ? nullptr : found;
}

std::string KnownPlacements(std::string_view resource) {
  std::string text;
  const auto known = PlacementsOf(resource);
  for (size_t i = 0; i < known.size(); ++i) {
    text += i == 0 ? "" : i + 1 < known.size() ? ", " : " or ";
    text += known[i].name;
  }
  return text;
}

bool IsPlacement(std::string_view resource, std::string_view name) {
  const auto known = PlacementsOf(resource);
  return std::any_of(known.begin(), known.end(),
                     [&](const auto& each) { return each.name == name; });
}

std::optional<std::string> WrongArgument(const PluginConfig& plugin) {
  if (plugin.name != "nodeplacement") return std::nullopt;
  for (const char* resource : {"gpu", "cpu"}) {
    const auto given = plugin.arguments.find(resource);
    if (given == plugin.arguments.end() || IsPlacement(resource, given->second)) continue;
    return fmt::format("argument {} of plugin nodeplacement is \"{}\"; it must be {}", resource,
                       given->second, KnownPlacements(resource));
  }
  return std::nullopt;
}

bool RunNamedAction(std::string_view name, ActionContext& context) {
  for (const ActionEntry& action : ActionTable()) {
    if (action.name != name) continue;
    context.session.BeginAction(name);
    action.run(context);
    return true;
  }
  return false;
}

Plugins ReadPlugins(const Configuration& configuration) {
  Plugins plugins;
  for (const PluginConfig& plugin : configuration.plugins) {
    if (const PluginEntry* entry = FindPlugin(plugin.name)) {
      entry->read(configuration, plugin, plugins);
    } else {
      plugins.unknown.push_back(plugin.name);
    }
  }
  return plugins;
}

}  // namespace coppice::engine
