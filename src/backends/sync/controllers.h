#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "api/view/core.h"
#include "backends/gangs/cache_view.h"
#include "backends/sync/component.h"
#include "backends/sync/reconciler.h"

namespace coppice::backends {

// Finds out what the cluster serves, and runs a controller for each backend: also for those that
// appear, and on kinds that come to be served, while it runs. Thread-safe. What it is made with
// must outlive it.
class BackendControllers {
 public:
  using CurrentSet = BackendReconciler::CurrentSet;

  BackendControllers(kube::Manager& manager, ClusterState& state, CurrentSet current);

  // From now on. Call before the manager starts.
  void Run(const ControllerOptions& options);
  // The set of backends has changed.
  void Follow();
  // A process that runs no controllers finds out what is served when it first matters, and again
  // when the definitions or the backends have changed.
  base::Status EnsureDiscovered();

 private:
  class DiscoveryReconciler;
  class DocumentReconciler;

  void OnStart();
  void FollowDefinitions();
  // Asks the server what it serves; on a change, watches what is new and looks at every gang.
  base::Status Refresh();
  // Reads again what uses name by itself (ResourceUse::documents), which is not watched.
  void RereadDocuments();
  const CompatibilityPolicy& Policy() const { return *current_()->config().policy; }
  void AddControllers();
  bool Runs(const std::string& id) const;
  void AddController(const std::string& id);
  void AddDiscovery();
  std::vector<ResourceUse> AllUses() const;
  std::vector<ResourceUse> UsesIn(const BackendInstance& instance) const;
  void WatchServed();
  void FollowObjects(const std::string& id, const ResourceUse& use);
  void WatchEvents(const std::string& id, const std::string& field_selector);
  std::optional<api::ObjectKey> GangBehind(view::core::ObjectReference involved);
  // The gang whose pods share an application with a pod of its scheduler's.
  std::vector<api::ObjectKey> GangsBehind(const json::Value& placeholder) const;
  // The gangs whose constraints are levels of this topology.
  std::vector<api::ObjectKey> GangsIn(std::string_view topology) const;
  std::vector<api::ObjectKey> GangsOf(std::string_view set) const;  // By the set's uid.
  void EnqueueGangs(const std::string& id);
  void TellWhatLacks();
  // Why a backend can do nothing here, "" when it can; nullopt while that is not known yet.
  std::optional<std::string> WhyUnavailable(const BackendInstance& instance) const;
  // Tells the log and a metric, and has it look at its gangs again, when that has changed.
  void CheckAvailable(const std::string& id);

  kube::Manager& manager_;
  kube::Runtime runtime_;
  ClusterState& state_;
  const CurrentSet current_;

  // Set up before the manager starts.
  std::optional<ControllerOptions> options_;
  // One discovery at a time. Guards what follows; controllers_ also changes in Follow.
  std::mutex refresh_mutex_;
  std::set<std::string> controllers_;
  std::set<std::string> watched_;
  std::shared_ptr<const BackendSet> refreshed_for_;
  std::mutex availability_mutex_;                   // Guards the one below.
  std::map<std::string, std::string> unavailable_;  // Backend → why; "" when it works.
  std::atomic<base::Instant> refreshed_at_ = base::Instant{};
  std::atomic<bool> discovered_ = false;
  std::atomic<bool> started_ = false;
  std::atomic<bool> follows_definitions_ = false;
  std::atomic<bool> outdated_ = false;  // What is served may have changed since it was asked.
};

}  // namespace coppice::backends
