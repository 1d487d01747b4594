#include "engine/model/config.h"

namespace coppice::engine {

SearchBudgets SearchBudgets::Defaults() {
  using std::chrono::minutes;
  using std::chrono::seconds;
  SearchBudgets budgets;
  for (const char* action : {"default", "reclaim", "preempt", "consolidation"}) {
    budgets.max_action[action] = minutes(5);
  }
  budgets.max_generator = {
      {"default", minutes(2)}, {"NodeLocalGreedy", seconds(30)}, {"MultiNodeGang", minutes(2)}};
  return budgets;
}

std::vector<PluginConfig> DefaultPlugins() {
  std::vector<PluginConfig> plugins;
  for (const char* name : {"predicates",
                           "proportion",
                           "priority",
                           "elastic",
                           "kubeflow",
                           "ray",
                           "nodeavailability",
                           "gpusharingorder",
                           "gpupack",
                           "resourcetype",
                           "subgrouporder",
                           "taskorder",
                           "nominatednode",
                           "dynamicresources",
                           "nodeplacement",
                           "minruntime",
                           "topology",
                           "snapshot",
                           "sg-nodelocalgreedy",
                           "sg-multinodegang"}) {
    plugins.push_back({name, {}});
    if (plugins.back().name == "nodeplacement") {
      plugins.back().arguments = {{"cpu", "binpack"}, {"gpu", "binpack"}};
    }
  }
  return plugins;
}

Configuration Configuration::Defaults() {
  Configuration configuration;
  configuration.actions = {"allocate", "consolidation", "reclaim", "preempt", "stalegangeviction"};
  configuration.plugins = DefaultPlugins();
  return configuration;
}

}  // namespace coppice::engine
