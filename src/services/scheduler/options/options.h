#pragma once

#include <string>

#include "api/kai/names.h"
#include "base/clock.h"
#include "engine/model/config.h"
#include "json/value.h"

namespace coppice::services::scheduler {

// The scheduler's flags (docs/behaviour/scheduler.md S-01); those that affect decisions are in the
// engine's configuration.
struct Options {
  engine::Configuration configuration = engine::Configuration::Defaults();
  std::string config_path;           // Of the configuration file; empty: the built-in one.
  json::Value usage_db;              // The file's usageDBConfig; null: past usage does not count.
  std::string ns = "kai-scheduler";  // Of the lease.
  std::string metrics_namespace = "kai";
  std::string node_pool_label_key{api::kai::names::kNodePoolLabel};
  // The shard: objects with this value of the label, or without the label when it is empty.
  std::string partition_label_value;
  // Time between cycles while something is pending; a change triggers a cycle at once.
  base::Duration schedule_period = std::chrono::seconds(1);
  // How long pods beyond their gang's minimum are held back while another gang of their
  // PodCliqueSet waits for its minimum; zero: not at all, as in KAI.
  base::Duration surplus_delay = std::chrono::seconds(10);
  // Debounce interval: changes within it share a cycle.
  base::Duration debounce = std::chrono::milliseconds(5);
  bool detailed_fit_errors = false;
  bool update_pod_eviction_condition = false;
  // Schedules pods of grove-scheduler straight from their PodGang.
  bool take_grove_scheduler = true;
  // Also binds pods of the default scheduler, gangs by their Workload: for control planes that have
  // no kube-scheduler.
  bool take_default_scheduler = false;
  // Binds pods that need only a node without a BindRequest: four fewer writes per pod, and no
  // PodBound condition.
  bool bind_directly = false;
  // Serves /get-snapshot, /get-job-order, /what-if and /eta on 127.0.0.1; 0: does not.
  int plugin_server_port = 0;
  // Keeps the engine's inputs in memory, so that it can answer questions about the future; also on
  // while there is a plugin server.
  bool answers = false;
  // Where the last decisions are recorded (DecisionLog); empty: nowhere. Of each shard, its own.
  std::string decision_log;
  int decision_log_mib = 64;  // Both files together.
  // No other component shares the process's pod cache, so it can be trimmed to what a scheduler
  // needs.
  bool own_cache = false;
  int status_workers = 5;
  int bind_workers = 16;

  bool Answers() const { return answers || plugin_server_port != 0; }
  bool KeepsInputs() const { return Answers() || !decision_log.empty(); }
  // Distinguishes the schedulers of one process.
  std::string ControllerName() const {
    const std::string& name = configuration.scheduler_name;
    return partition_label_value.empty() ? name : name + "-" + partition_label_value;
  }
};

}  // namespace coppice::services::scheduler
