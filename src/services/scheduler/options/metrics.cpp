#include "services/scheduler/options/metrics.h"

namespace coppice::services::scheduler {
namespace {

std::vector<double> Doubling(double first, int count) {
  std::vector<double> buckets;
  for (int i = 0; i < count; ++i, first *= 2) buckets.push_back(first);
  return buckets;
}

constexpr const char* kShares[] = {"queue_fair_share_cpu_cores", "queue_fair_share_memory_gb",
                                   "queue_fair_share_gpu"};
constexpr const char* kUsages[] = {"queue_cpu_usage", "queue_memory_usage", "queue_gpu_usage"};

double Milliseconds(base::Duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

}  // namespace

SchedulerMetrics::SchedulerMetrics(kube::Metrics& metrics, std::string prefix)
    : metrics_(metrics), prefix_(std::move(prefix)) {
  Describe();
}

void SchedulerMetrics::Describe() {
  const auto say = [&](std::string_view name, const char* help) {
    metrics_.Describe(Name(name), help);
  };
  say("e2e_scheduling_latency_milliseconds", "How long the last cycle took, in milliseconds.");
  say("open_session_latency_milliseconds", "How long it took to begin the last cycle.");
  say("close_session_latency_milliseconds", "How long it took to end the last cycle.");
  say("plugin_scheduling_latency_milliseconds", "How long a plugin took in the last cycle.");
  say("action_scheduling_latency_milliseconds", "How long an action took in the last cycle.");
  say("scenario_search_action_budget_configured_seconds", "How long an action may search.");
  say("scenario_search_job_budget_configured_seconds", "How long may be searched for one job.");
  say("scenario_search_generator_budget_configured_seconds", "How long a generator may search.");
  say("podgroups_scheduled_by_action", "Pod groups that an action found room for.");
  say("podgroups_acted_on_by_action", "Pod groups that an action considered.");
  say("scenarios_simulation_by_action", "Sets of victims that an action tried.");
  say("scenarios_filtered_by_action", "Sets of victims that an action passed over untried.");
  say("total_preemption_attempts", "Attempts to preempt.");
  say("queue_fair_share_cpu_cores", "CPU cores that are the queue's fair share.");
  say("queue_fair_share_memory_gb", "Gigabytes of memory that are the queue's fair share.");
  say("queue_fair_share_gpu", "GPUs that are the queue's fair share.");
  say("queue_cpu_usage", "The queue's part of all CPU time in the accounting window.");
  say("queue_memory_usage", "The queue's part of all memory in the accounting window.");
  say("queue_gpu_usage", "The queue's part of all GPU time in the accounting window.");
  say("pod_group_evicted_pods_total", "Pods evicted, by pod group and action.");
  say("scenario_search_jobs_total", "Searches for victims, by result.");
  say("scenario_search_action_budget_exhausted_total",
      "Cycles in which an action ran out of time.");
  say("scenario_search_scenarios_total", "Sets of victims, by what became of them.");
  metrics_.Describe(Name("scenario_search_duration_seconds"),
                    "Seconds that trying a set of victims took, by what became of it.",
                    Doubling(0.001, 16));
  metrics_.Describe(Name("task_scheduling_latency_milliseconds"),
                    "Milliseconds from a pod's creation to its bind.", Doubling(5, 10));
  metrics_.Describe(Name("task_bind_latency_milliseconds"),
                    "Milliseconds from a decision to its BindRequest.", Doubling(5, 10));
}

void SchedulerMetrics::Opened(base::Duration took) {
  metrics_.Set(Name("open_session_latency_milliseconds"), {}, Milliseconds(took));
}

void SchedulerMetrics::Acted(const std::string& action, base::Duration took) {
  metrics_.Set(Name("action_scheduling_latency_milliseconds"), {{"action", action}},
               Milliseconds(took));
}

void SchedulerMetrics::PluginTook(const std::string& plugin, const char* hook,
                                  base::Duration took) {
  metrics_.Set(Name("plugin_scheduling_latency_milliseconds"),
               {{"plugin", plugin}, {"OnSession", hook}}, Milliseconds(took));
}

void SchedulerMetrics::Plugins(const engine::Configuration& configuration) {
  for (const engine::PluginConfig& plugin : configuration.plugins) {
    PluginTook(plugin.name, "OnSessionOpen", {});
    PluginTook(plugin.name, "OnSessionClose", {});
  }
}

void SchedulerMetrics::Closed(base::Duration took) {
  metrics_.Set(Name("close_session_latency_milliseconds"), {}, Milliseconds(took));
}

void SchedulerMetrics::Budgets(const engine::Configuration& configuration) {
  const auto seconds = [](base::Duration duration) {
    return std::chrono::duration<double>(duration).count();
  };
  const engine::SearchBudgets& budgets = configuration.budgets;
  const auto of = [](const std::map<std::string, base::Duration>& by_name,
                     const std::string& name) {
    const auto found = by_name.find(name);
    const auto fallback = by_name.find("default");
    if (found != by_name.end()) return found->second;
    return fallback == by_name.end() ? base::Duration() : fallback->second;
  };
  for (const char* action : {"reclaim", "preempt", "consolidation"}) {
    metrics_.Set(Name("scenario_search_action_budget_configured_seconds"), {{"action", action}},
                 seconds(of(budgets.max_action, action)));
  }
  metrics_.Set(Name("scenario_search_job_budget_configured_seconds"), {}, seconds(budgets.max_job));
  for (const char* generator : {"NodeLocalGreedy", "MultiNodeGang"}) {
    metrics_.Set(Name("scenario_search_generator_budget_configured_seconds"),
                 {{"generator", generator}}, seconds(of(budgets.max_generator, generator)));
  }
}

void SchedulerMetrics::Cycle(const engine::CycleResult& result, base::Duration took,
                             const DisplayName& display) {
  metrics_.Set(Name("e2e_scheduling_latency_milliseconds"), {}, Milliseconds(took));
  for (const auto& [plugin, opened] : result.plugins_opened) {
    PluginTook(plugin, "OnSessionOpen", opened);
  }
  for (const auto& [action, counters] : result.actions) {
    const kube::Labels labels{{"action", action}};
    const auto count = [&](std::string_view name, int64_t by) {
      metrics_.Increment(Name(name), labels, static_cast<double>(by));
    };
    count("podgroups_scheduled_by_action", counters.groups_scheduled);
    count("podgroups_acted_on_by_action", counters.groups_acted_on);
    count("scenarios_simulation_by_action", counters.Scenarios().simulated);
    count("scenarios_filtered_by_action", counters.scenarios_filtered);
    metrics_.Increment(Name("total_preemption_attempts"), {},
                       static_cast<double>(counters.preemption_attempts));
    for (const auto& [outcome, times] : counters.search_results) {
      const auto found = counters.reduced_search_results.find(outcome);
      const int64_t reduced = found == counters.reduced_search_results.end() ? 0 : found->second;
      const auto searched = [&, &result_name = outcome](const char* flag, int64_t by) {
        if (by == 0) return;
        metrics_.Increment(Name("scenario_search_jobs_total"),
                           {{"action", action}, {"result", result_name}, {"reduced_budget", flag}},
                           static_cast<double>(by));
      };
      searched("true", reduced);
      searched("false", times - reduced);
    }
    if (counters.budget_exhausted) count("scenario_search_action_budget_exhausted_total", 1);
    for (const auto& [generator, scenarios] : counters.generators) {
      Scenarios(action, generator, scenarios);
    }
  }
  Queues(result, display);
}

void SchedulerMetrics::Scenarios(const std::string& action, const std::string& generator,
                                 const engine::ScenarioCounters& counters) {
  const std::pair<const char*, int64_t> states[] = {{"emitted", counters.emitted},
                                                    {"simulated", counters.simulated},
                                                    {"validator_rejected", counters.rejected},
                                                    {"duplicate", counters.duplicate}};
  for (const auto& [state, times] : states) {
    if (times == 0) continue;
    metrics_.Increment(Name("scenario_search_scenarios_total"),
                       {{"action", action}, {"generator", generator}, {"state", state}},
                       static_cast<double>(times));
  }
  for (const auto& [result, took] : counters.durations) {
    metrics_.Observe(
        Name("scenario_search_duration_seconds"),
        {{"action", action}, {"generator", generator}, {"result", std::string(result)}},
        std::chrono::duration<double>(took).count());
  }
}

// Queues that are gone, or are called otherwise now, leave no series behind.
void SchedulerMetrics::Queues(const engine::CycleResult& result, const DisplayName& display) {
  static constexpr double kUnits[] = {1e-3, 1e-9, 1};
  std::map<std::string, kube::Labels> before = std::exchange(queues_, {});
  for (const engine::QueueShare& queue : result.queues) {
    const std::string shown = display(queue.queue);
    kube::Labels& labels = queues_[queue.queue];
    labels = {{"queue_name", shown.empty() ? queue.queue : shown},
              {"queue_metadata_name", queue.queue},
              {"queue_display_name", shown}};
    if (const auto old = before.find(queue.queue); old != before.end() && old->second == labels) {
      before.erase(old);
    }
    for (int i = 0; i < 3; ++i) {
      metrics_.Set(Name(kShares[i]), labels, queue.fair_share[i] * kUnits[i]);
      metrics_.Set(Name(kUsages[i]), labels, queue.usage[i]);
    }
  }
  for (const auto& [name, labels] : before) ForgetQueue(labels);
}

void SchedulerMetrics::ForgetQueue(const kube::Labels& labels) {
  for (int i = 0; i < 3; ++i) {
    metrics_.Remove(Name(kShares[i]), labels);
    metrics_.Remove(Name(kUsages[i]), labels);
  }
}

void SchedulerMetrics::Bound(base::Duration since_creation) {
  metrics_.Observe(Name("task_scheduling_latency_milliseconds"), {}, Milliseconds(since_creation));
}

void ObserveBind(kube::Metrics& metrics, const std::string& prefix, base::Duration took) {
  metrics.Observe(prefix + "_task_bind_latency_milliseconds", {}, Milliseconds(took));
}

void SchedulerMetrics::Evicted(const engine::EvictDecision& eviction, std::string_view group_uid,
                               std::string_view node_pool) {
  metrics_.Increment(Name("pod_group_evicted_pods_total"),
                     {{"podgroup", eviction.group.name},
                      {"namespace", eviction.group.namespace_name},
                      {"uid", std::string(group_uid)},
                      {"nodepool", std::string(node_pool)},
                      {"action", eviction.action}});
}

}  // namespace coppice::services::scheduler
