#include "engine/plugins.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
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

void ReadProportion(const Arguments& arguments, Plugins& plugins) {
  plugins.proportion = true;
  ReadDouble(arguments, "kValue", plugins.usage_weight);
  plugins.usage_weight = std::max(plugins.usage_weight, 0.0);
  ReadDouble(arguments, "reclaimerUtilizationMultiplier", plugins.saturation_multiplier);
  ReadDouble(arguments, "relcaimerSaturationMultiplier", plugins.saturation_multiplier);
  plugins.saturation_multiplier = std::max(plugins.saturation_multiplier, 1.0);
}

void ReadMinRuntime(const Arguments& arguments, Plugins& plugins) {
  plugins.minruntime = true;
  ReadDuration(arguments, "defaultReclaimMinRuntime", plugins.reclaim_min_runtime);
  ReadDuration(arguments, "defaultPreemptMinRuntime", plugins.preempt_min_runtime);
  auto method = arguments.find("reclaimResolveMethod");
  plugins.reclaim_by_queue = method != arguments.end() && method->second == "queue";
}

void ReadNuma(const Arguments& arguments, Plugins& plugins) {
  plugins.numa = true;
  if (auto list = arguments.find("ignoreList"); list != arguments.end()) {
    size_t from = 0;
    while (from <= list->second.size()) {
      const size_t comma = std::min(list->second.find(',', from), list->second.size());
      std::string name = list->second.substr(from, comma - from);
      name.erase(0, name.find_first_not_of(' '));
      name.erase(name.find_last_not_of(' ') + 1);
      if (!name.empty()) plugins.numa_ignored.push_back(name);
      from = comma + 1;
    }
  }
  static const std::set<std::string> kFalse{"0", "f", "F", "FALSE", "false", "False"};
  auto reconstruct = arguments.find("reconstructAvailable");
  plugins.numa_reconstruct =
      reconstruct == arguments.end() || !kFalse.contains(reconstruct->second);
}

template <typename List, typename Item>
void AddOnce(List& list, Item item) {
  if (std::find(list.begin(), list.end(), item) == list.end()) list.push_back(item);
}

}  // namespace

Plugins ReadPlugins(const std::vector<PluginConfig>& configs) {
  using Reader = std::function<void(const Arguments&, Plugins&)>;
  const auto flag = [](bool Plugins::* member) {
    return [member](const Arguments&, Plugins& plugins) { plugins.*member = true; };
  };
  const Reader none = [](const Arguments&, Plugins&) {};
  static const std::map<std::string, Reader> kReaders{
      {"predicates", flag(&Plugins::predicates)},
      {"proportion", ReadProportion},
      {"nodeavailability", flag(&Plugins::nodeavailability)},
      {"gpusharingorder", flag(&Plugins::gpusharingorder)},
      {"gpupack", flag(&Plugins::gpupack)},
      {"gpuspread", flag(&Plugins::gpuspread)},
      {"resourcetype", flag(&Plugins::resourcetype)},
      {"nominatednode", flag(&Plugins::nominatednode)},
      {"dynamicresources", flag(&Plugins::dynamicresources)},
      {"minruntime", ReadMinRuntime},
      {"topology", flag(&Plugins::topology)},
      {"podaffinity", flag(&Plugins::podaffinity)},
      {"numa", ReadNuma},
      {"priority",
       [](const Arguments&, Plugins& p) { AddOnce(p.job_order, Plugins::JobOrder::kPriority); }},
      {"elastic",
       [](const Arguments&, Plugins& p) { AddOnce(p.job_order, Plugins::JobOrder::kElastic); }},
      {"nodeplacement",
       [](const Arguments& a, Plugins& p) {
         p.gpu_placement = ReadPlacement(a, "gpu");
         p.cpu_placement = ReadPlacement(a, "cpu");
       }},
      {"sg-nodelocalgreedy",
       [](const Arguments&, Plugins& p) {
         AddOnce(p.generators, Plugins::Generator::kNodeLocalGreedy);
       }},
      {"sg-multinodegang",
       [](const Arguments&, Plugins& p) {
         AddOnce(p.generators, Plugins::Generator::kMultiNodeGang);
       }},
      // Read where tasks and sub-groups are ordered, or served outside the engine.
      {"kubeflow", none},
      {"ray", none},
      {"taskorder", none},
      {"subgrouporder", none},
      {"snapshot", none},
      {"reflectjoborder", none},
  };
  Plugins plugins;
  for (const auto& config : configs) {
    auto reader = kReaders.find(config.name);
    if (reader == kReaders.end()) {
      plugins.unknown.push_back(config.name);
    } else {
      reader->second(config.arguments, plugins);
    }
  }
  return plugins;
}

}  // namespace coppice::engine
