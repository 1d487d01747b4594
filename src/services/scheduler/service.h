#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <set>

#include "api/view/core.h"
#include "engine/engine.h"
#include "kube/process/manager.h"
#include "services/scheduler/answers/question.h"
#include "services/scheduler/decision_log.h"
#include "services/scheduler/feed/assumptions.h"
#include "services/scheduler/feed/feed.h"
#include "services/scheduler/options/metrics.h"
#include "services/scheduler/options/options.h"
#include "services/scheduler/output/writers.h"
#include "services/scheduler/usage/usage_archive.h"
#include "services/scheduler/usage/usage_feed.h"
#include "services/scheduler/usage/usage_history.h"

namespace coppice::services::scheduler {

// One scheduler: watches the cluster, runs the engine when something changed, and writes what it
// decided. Lives as long as the manager it was added to.
class Service {
 public:
  Service(kube::Manager& manager, Options options);

  // Starts watching; call before the manager starts. Fails if the configuration of past usage is
  // invalid.
  base::Status Watch();

  // Runs one cycle. Returns when the next one is due at the latest; Done if only a change triggers
  // it.
  base::Result<kube::Requeue> RunCycle();

  // Why a group waits, from the engine's current state. Thread-safe.
  std::optional<engine::Explanation> Explain(std::string_view ns, std::string_view name);

  // What would happen (docs/answers.md), and when a group should start. Unavailable unless
  // Options::Answers. They work on a copy of the engine: only making it keeps a cycle waiting.
  // Thread-safe.
  base::Result<json::Value> WhatIf(const WhatIfRequest& request);
  base::Result<json::Value> Eta(const api::ObjectKey& group);

  // The cluster as this scheduler sees it, as the bytes of a snapshot file. Thread-safe.
  std::string TakeSnapshot() const;

  // The pending jobs in the order of the last cycle, as plugin reflectjoborder serves it; empty
  // unless that is configured. Thread-safe.
  json::Value JobOrder() const;

  const Options& options() const { return options_; }
  std::string controller_name() const { return options_.ControllerName(); }

 private:
  base::Status StartUsage();
  base::Result<engine::Engine> CopyEngine();
  std::vector<json::Value> Follow();
  engine::CycleResult Decide(base::Time now);
  void ReflectOrder();
  void RecordUsage(const engine::CycleResult& result, base::Time now);
  void DeleteStaleRequests(std::vector<json::Value> requests);
  void Write(engine::CycleResult result, base::Time now);
  Writers::BindMethod ChooseBindMethod(view::core::PodSpec pod,
                                       const engine::BindDecision& decision) const;
  void RecordForeign(const engine::GroupStatus& status);
  void LogProblems(const std::vector<engine::InputProblem>& problems);
  base::Duration Pause() const;
  kube::Requeue NextCycle(const engine::CycleResult& result) const;
  std::string NodePool(const api::ObjectKey& pod) const;
  bool Keeps(engine::Quirk quirk) const {
    return options_.configuration.compatibility.Keeps(quirk);
  }

  const Options options_;
  kube::Runtime runtime_;
  // Guards the engine and the order of jobs. The API is never called while it is held: a slow
  // server would keep Explain and the plugin server waiting.
  mutable std::mutex mutex_;
  engine::Engine engine_;
  std::unique_ptr<DecisionLog> log_;  // Null unless decisions are recorded.
  Assumptions assumptions_;
  Feed feed_;
  Writers writers_;
  SchedulerMetrics metrics_;
  std::optional<base::Instant> last_cycle_;  // When it ended.
  base::Duration last_duration_{};
  std::vector<json::Value> stale_requests_;  // Bind requests that could not be deleted yet.
  json::Value job_order_ = json::Value::Object();
  // Input problems already logged: kind, name, text.
  std::set<std::array<std::string, 3>> problems_;
  std::shared_ptr<UsageHistory> history_;  // With the embedded store of past usage.
  std::unique_ptr<UsageFeed> usage_;       // If past usage counts.
  std::unique_ptr<UsageArchive> archive_;  // Null unless there is a history. Starts the feed.
};

// Adds a scheduler to the manager. The handle may be dropped.
base::Result<std::shared_ptr<Service>> AddToManager(kube::Manager& manager, Options options);

}  // namespace coppice::services::scheduler
