#pragma once

#include <functional>
#include <map>
#include <string>

#include "base/clock.h"
#include "engine/model/config.h"
#include "engine/model/result.h"
#include "kube/metrics.h"

namespace coppice::services::scheduler {

// KAI's scheduler metrics (docs/metrics.md).
class SchedulerMetrics {
 public:
  SchedulerMetrics(kube::Metrics& metrics, std::string prefix);

  // The parts of a cycle, as they end.
  void Opened(base::Duration took);
  void Acted(const std::string& action, base::Duration took);
  void Closed(base::Duration took);
  using DisplayName = std::function<std::string(const std::string& queue)>;
  // After a cycle that took this long.
  void Cycle(const engine::CycleResult& result, base::Duration took, const DisplayName& display);
  // How long searches may take.
  void Budgets(const engine::Configuration& configuration);
  // Most plugins do nothing when a cycle opens, and none does when it closes.
  void Plugins(const engine::Configuration& configuration);
  // A pod was bound this long after it was created.
  void Bound(base::Duration since_creation);
  void Evicted(const engine::EvictDecision& eviction, std::string_view group_uid,
               std::string_view node_pool);

 private:
  std::string Name(std::string_view name) const { return prefix_ + "_" + std::string(name); }
  void Describe();
  void Scenarios(const std::string& action, const std::string& generator,
                 const engine::ScenarioCounters& counters);
  void Queues(const engine::CycleResult& result, const DisplayName& display);
  void ForgetQueue(const kube::Labels& labels);
  void PluginTook(const std::string& plugin, const char* hook, base::Duration took);

  kube::Metrics& metrics_;
  const std::string prefix_;
  std::map<std::string, kube::Labels> queues_;  // Of the last cycle.
};

// How long it took to write a decision.
void ObserveBind(kube::Metrics& metrics, const std::string& prefix, base::Duration took);

}  // namespace coppice::services::scheduler
