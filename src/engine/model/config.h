#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "engine/model/compatibility.h"

namespace coppice::engine {

struct PluginConfig {
  std::string name;
  std::map<std::string, std::string> arguments;
  // Options such as "disableNodeOrder". They have an effect only without Quirk::kDisabledHooks.
  std::set<std::string, std::less<>> disabled = {};
};

// Time limits of the victim search (docs/behaviour/engine.md S-57). Zero means unlimited.
struct SearchBudgets {
  std::map<std::string, base::Duration> max_action;  // By action, or "default".
  base::Duration max_job = std::chrono::minutes(4);
  base::Duration min_job{};
  std::map<std::string, base::Duration> max_generator;  // By generator, or "default".

  static SearchBudgets Defaults();
};

// The engine's configuration: the scheduler's configuration file and those of its flags that affect
// decisions, with their defaults.
struct Configuration {
  std::vector<std::string> actions;
  std::vector<PluginConfig> plugins;  // In order.
  std::map<std::string, int> queue_depth_per_action;
  SearchBudgets budgets = SearchBudgets::Defaults();
  Compatibility compatibility;

  std::string scheduler_name = "kai-scheduler";
  std::string queue_label_key = "kai.scheduler/queue";
  std::string reservation_app_label = "kai-resource-reservation";
  std::string cpu_worker_label = "node-role.kubernetes.io/cpu-worker";
  std::string gpu_worker_label = "node-role.kubernetes.io/gpu-worker";
  std::string mig_worker_label = "node-role.kubernetes.io/mig-enabled";
  bool restrict_node_scheduling = false;
  int max_consolidation_preemptees = 16;
  bool schedule_csi_storage = false;
  bool use_scheduling_signatures = true;
  bool full_hierarchy_fairness = true;
  bool allow_consolidating_reclaim = true;
  base::Duration default_staleness_grace = std::chrono::seconds(60);
  base::Duration stuck_in_releasing_threshold = std::chrono::minutes(2);
  // How long pods beyond their gang's minimum leave free capacity alone while a gang of their set
  // waits; zero: not at all, as in KAI.
  base::Duration surplus_delay{};
  bool dra_available = true;
  // GPU size in MiB if no node reports one; 0: requests by memory count as zero.
  int64_t assumed_gpu_memory = 0;
  // Seeds the ids of new shared-GPU groups.
  uint64_t seed = 1;

  // Whether the plugin is active at this point; the option ("disableNodeOrder") can disable it.
  bool Uses(const PluginConfig& plugin, std::string_view option) const {
    return compatibility.Keeps(Quirk::kDisabledHooks) || !plugin.disabled.contains(option);
  }

  // Actions and plugins of the built-in configuration (docs/behaviour/scheduler.md S-02).
  static Configuration Defaults();
};

std::vector<PluginConfig> DefaultPlugins();

}  // namespace coppice::engine
