#include "services/scheduler/options/flags.h"

#include "base/files.h"
#include "services/scheduler/options/config_file.h"

namespace coppice::services::scheduler {

void AddFlags(Options& options, FlagSet& flags) {
  engine::Configuration& decisions = options.configuration;
  flags.Text("scheduler-name", decisions.scheduler_name)
      .Text("namespace", options.ns)
      .Text("metrics-namespace", options.metrics_namespace)
      .Text("resource-reservation-app-label", decisions.reservation_app_label)
      .Switch("restrict-node-scheduling", decisions.restrict_node_scheduling)
      .Text("nodepool-label-key", options.node_pool_label_key)
      .Text("partition-label-value", options.partition_label_value)
      .Text("queue-label-key", decisions.queue_label_key)
      .Text("scheduler-conf", options.config_path)
      .Duration("schedule-period", options.schedule_period)
      .Duration("surplus-delay", options.surplus_delay)
      .Integer("plugin-server-port", options.plugin_server_port)
      .Text("decision-log", options.decision_log)
      .Integer("decision-log-mib", options.decision_log_mib)
      .Integer("max-consolidation-preemptees", decisions.max_consolidation_preemptees)
      .Switch("detailed-fit-errors", options.detailed_fit_errors)
      .Switch("update-pod-eviction-condition", options.update_pod_eviction_condition)
      .Switch("bind-directly", options.bind_directly)
      .Switch("schedule-csi-storage", decisions.schedule_csi_storage)
      .Switch("use-scheduling-signatures", decisions.use_scheduling_signatures)
      .Switch("full-hierarchy-fairness", decisions.full_hierarchy_fairness)
      .Switch("allow-consolidating-reclaim", decisions.allow_consolidating_reclaim)
      .Integer("num-of-status-recording-workers", options.status_workers)
      .Duration("default-staleness-grace-period", decisions.default_staleness_grace)
      .Duration("stuck-in-releasing-threshold", decisions.stuck_in_releasing_threshold)
      .Text("cpu-worker-node-label-key", decisions.cpu_worker_label)
      .Text("gpu-worker-node-label-key", decisions.gpu_worker_label)
      .Text("mig-worker-node-label-key", decisions.mig_worker_label);
  for (const char* name : {"version", "enable-profiler"}) flags.IgnoredSwitch(name);
  for (const char* name :
       {"profiler-port", "pyroscope-address", "pyroscope-mutex-profiler-rate",
        "pyroscope-block-profiler-rate", "v", "log-flush-frequency", "feature-gates"}) {
    flags.Ignored(name);
  }
}

bool IsKnownFlag(std::string_view name) {
  Options options;
  FlagSet flags;
  AddFlags(options, flags);
  return flags.Knows(name);
}

base::Status LoadConfigFile(Options& options) {
  if (options.config_path.empty()) return {};
  COPPICE_ASSIGN(const std::string text, base::ReadFile(options.config_path));
  auto read = ParseConfigFile(text);
  if (!read) return read.error().During(options.config_path);
  TakeDecisions(std::move(read->configuration), options);
  options.usage_db = std::move(read->usage_db);
  return {};
}

void TakeDecisions(engine::Configuration file, Options& options) {
  engine::Configuration& decisions = options.configuration;
  decisions.actions = std::move(file.actions);
  decisions.plugins = std::move(file.plugins);
  decisions.queue_depth_per_action = std::move(file.queue_depth_per_action);
  decisions.budgets = std::move(file.budgets);
  decisions.compatibility = file.compatibility;
}

}  // namespace coppice::services::scheduler
