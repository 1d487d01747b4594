#include "services/scheduler/options/metrics.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "services/test_cluster_testing.h"

namespace coppice::services::scheduler {
namespace {

using ::testing::ContainsRegex;

class SchedulerMetricsTest : public ::testing::Test {
 protected:
  SchedulerMetricsTest() : metrics(cluster.manager->runtime().metrics, "kai") {}
  std::string Text() { return cluster.manager->runtime().metrics.Text(); }

  TestCluster cluster;
  SchedulerMetrics metrics;
};

engine::CycleResult Searched() {
  engine::CycleResult result;
  engine::ActionCounters& counters = result.actions["reclaim"];
  counters.groups_scheduled = 1;
  counters.groups_acted_on = 2;
  counters.scenarios_filtered = 3;
  counters.preemption_attempts = 4;
  counters.generators["MultiNodeGang"] = {7, 5, 1, 2, {{"solved", std::chrono::milliseconds(3)}}};
  counters.search_results = {{"solved", 3}, {"generators_exhausted", 1}};
  counters.reduced_search_results = {{"solved", 1}};
  counters.budget_exhausted = true;
  result.queues.push_back({"q", {1000, 2e9, 4}, {}, {}, {0.1, 0.2, 0.3}});
  return result;
}

TEST_F(SchedulerMetricsTest, EverySeriesHasItsLabels) {
  metrics.Budgets(engine::Configuration::Defaults());
  metrics.Plugins(engine::Configuration::Defaults());
  metrics.Opened(std::chrono::milliseconds(1));
  metrics.Acted("allocate", std::chrono::milliseconds(2));
  metrics.Closed(std::chrono::milliseconds(3));
  metrics.Bound(std::chrono::milliseconds(4));
  engine::EvictDecision eviction;
  eviction.group = {"ns", "g"};
  eviction.action = "reclaim";
  metrics.Evicted(eviction, "uid-1", "default");
  metrics.Cycle(Searched(), std::chrono::milliseconds(6), [](const std::string&) { return "Q"; });
  const std::string text = Text();
  for (const char* series : {
           "kai_e2e_scheduling_latency_milliseconds 6",
           "kai_open_session_latency_milliseconds 1",
           "kai_close_session_latency_milliseconds 3",
           "kai_action_scheduling_latency_milliseconds\\{action=\"allocate\"\\} 2",
           "kai_task_scheduling_latency_milliseconds_bucket\\{le=\"5\"\\} 1",
           "kai_podgroups_scheduled_by_action\\{action=\"reclaim\"\\} 1",
           "kai_podgroups_acted_on_by_action\\{action=\"reclaim\"\\} 2",
           "kai_scenarios_simulation_by_action\\{action=\"reclaim\"\\} 5",
           "kai_scenarios_filtered_by_action\\{action=\"reclaim\"\\} 3",
           "kai_total_preemption_attempts 4",
           "kai_scenario_search_action_budget_configured_seconds\\{action=\"preempt\"\\} 300",
           "kai_scenario_search_job_budget_configured_seconds 240",
           "kai_scenario_search_generator_budget_configured_seconds\\{generator="
           "\"NodeLocalGreedy\"\\} "
           "30",
           "kai_scenario_search_action_budget_exhausted_total\\{action=\"reclaim\"\\} 1",
       }) {
    EXPECT_THAT(text, ContainsRegex(series));
  }
}

// One line of this series that has all these labels and this value.
bool Has(const std::string& text, const std::string& series, const std::vector<std::string>& labels,
         const std::string& value) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(series + "{") || !line.ends_with("} " + value)) continue;
    if (std::all_of(labels.begin(), labels.end(),
                    [&](const auto& label) { return line.find(label) != line.npos; })) {
      return true;
    }
  }
  return false;
}

// Before the first cycle all of them have taken no time.
TEST_F(SchedulerMetricsTest, EveryPluginSaysWhatItTook) {
  metrics.Plugins(engine::Configuration::Defaults());
  engine::CycleResult result;
  result.plugins_opened["proportion"] = std::chrono::milliseconds(7);
  metrics.Cycle(result, {}, [](const std::string&) { return ""; });
  const std::string text = Text();
  const auto plugin = [&](const char* name, const char* hook, const char* value) {
    return Has(text, "kai_plugin_scheduling_latency_milliseconds",
               {fmt::format("plugin=\"{}\"", name), fmt::format("OnSession=\"{}\"", hook)}, value);
  };
  EXPECT_TRUE(plugin("proportion", "OnSessionOpen", "7"));
  EXPECT_TRUE(plugin("proportion", "OnSessionClose", "0"));
  EXPECT_TRUE(plugin("gpupack", "OnSessionOpen", "0"));
}

TEST_F(SchedulerMetricsTest, AQueueThatIsGoneLeavesNoSeries) {
  const auto cycle = [&](const char* queue, const char* display) {
    engine::CycleResult result;
    result.queues.push_back({queue, {1000, 2e9, 4}, {}, {}, {}});
    metrics.Cycle(result, {}, [&](const std::string&) { return display; });
  };
  cycle("q", "Old");
  cycle("q", "New");
  EXPECT_FALSE(Has(Text(), "kai_queue_fair_share_gpu", {"Old"}, "4"));
  EXPECT_TRUE(Has(Text(), "kai_queue_fair_share_gpu", {"New"}, "4"));
  cycle("other", "");
  EXPECT_FALSE(Has(Text(), "kai_queue_fair_share_gpu", {"queue_metadata_name=\"q\""}, "4"));
  EXPECT_FALSE(Has(Text(), "kai_queue_gpu_usage", {"queue_metadata_name=\"q\""}, "0"));
}

TEST_F(SchedulerMetricsTest, SeriesWithSeveralLabels) {
  engine::EvictDecision eviction;
  eviction.group = {"ns", "g"};
  eviction.action = "reclaim";
  metrics.Evicted(eviction, "uid-1", "default");
  metrics.Cycle(Searched(), {}, [](const std::string&) { return "Q"; });
  const std::string text = Text();
  EXPECT_TRUE(Has(text, "kai_pod_group_evicted_pods_total",
                  {"podgroup=\"g\"", "namespace=\"ns\"", "uid=\"uid-1\"", "nodepool=\"default\"",
                   "action=\"reclaim\""},
                  "1"));
  const std::vector<std::string> queue = {"queue_name=\"Q\"", "queue_metadata_name=\"q\"",
                                          "queue_display_name=\"Q\""};
  EXPECT_TRUE(Has(text, "kai_queue_fair_share_cpu_cores", queue, "1"));
  EXPECT_TRUE(Has(text, "kai_queue_fair_share_memory_gb", queue, "2"));
  EXPECT_TRUE(Has(text, "kai_queue_fair_share_gpu", queue, "4"));
  EXPECT_TRUE(Has(text, "kai_queue_gpu_usage", queue, "0.3"));
  EXPECT_TRUE(Has(text, "kai_scenario_search_jobs_total",
                  {"action=\"reclaim\"", "result=\"solved\"", "reduced_budget=\"true\""}, "1"));
  EXPECT_TRUE(Has(text, "kai_scenario_search_jobs_total",
                  {"action=\"reclaim\"", "result=\"solved\"", "reduced_budget=\"false\""}, "2"));
  for (const auto& [state, count] : std::map<std::string, std::string>{
           {"emitted", "7"}, {"simulated", "5"}, {"validator_rejected", "1"}, {"duplicate", "2"}}) {
    EXPECT_TRUE(Has(
        text, "kai_scenario_search_scenarios_total",
        {"action=\"reclaim\"", "generator=\"MultiNodeGang\"", "state=\"" + state + "\""}, count))
        << state;
  }
  EXPECT_TRUE(Has(text, "kai_scenario_search_duration_seconds_count",
                  {"action=\"reclaim\"", "generator=\"MultiNodeGang\"", "result=\"solved\""}, "1"));
}

}  // namespace
}  // namespace coppice::services::scheduler
