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

// Discovers what the cluster serves and runs one controller per backend. Picks up new backends and
// newly served kinds while it runs. Thread-safe. Its constructor arguments must outlive it.
class BackendControllers {
 public:
  using CurrentSet = BackendReconciler::CurrentSet;

  BackendControllers(kube::Manager& manager, ClusterState& state, CurrentSet current);

  // Starts the controllers. Call before the manager starts.
  void Run(const ControllerOptions& options);
  // Call when the set of backends has changed.
  void Follow();
  // For processes that run no controllers: discovers lazily on first use, and again when CRDs or
  // backends have changed.
  base::Status EnsureDiscovered();

 private:
  class DiscoveryReconciler;
  class DocumentReconciler;

  void OnStart();
  void FollowDefinitions();
  // Runs discovery; on a change, watches new kinds and requeues every gang.
  base::Status Refresh();
  // Reads ResourceUse::documents again, which are not watched.
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
  // The gang whose pods share an application with this pod of the scheduler.
  std::vector<api::ObjectKey> GangsBehind(const json::Value& placeholder) const;
  // The gangs that use this topology.
  std::vector<api::ObjectKey> GangsIn(std::string_view topology) const;
  std::vector<api::ObjectKey> GangsOf(std::string_view set) const;  // By the set's uid.
  void EnqueueGangs(const std::string& id);
  void TellWhatLacks();
  // Why a backend cannot work here, "" if it can; nullopt while that is unknown.
  std::optional<std::string> WhyUnavailable(const BackendInstance& instance) const;
  // On a change of availability, logs it, updates a metric and requeues the backend's gangs.
  void CheckAvailable(const std::string& id);

  kube::Manager& manager_;
  kube::Runtime runtime_;
  ClusterState& state_;
  const CurrentSet current_;

  // Set up before the manager starts.
  std::optional<ControllerOptions> options_;
  // Serializes discovery. Guards the members below; controllers_ also changes in Follow.
  std::mutex refresh_mutex_;
  std::set<std::string> controllers_;
  std::set<std::string> watched_;
  std::shared_ptr<const BackendSet> refreshed_for_;
  std::mutex availability_mutex_;                   // Guards unavailable_.
  std::map<std::string, std::string> unavailable_;  // Backend → reason; "" if it works.
  std::atomic<base::Instant> refreshed_at_ = base::Instant{};
  std::atomic<bool> discovered_ = false;
  std::atomic<bool> started_ = false;
  std::atomic<bool> follows_definitions_ = false;
  std::atomic<bool> outdated_ = false;  // What is served may have changed since the last discovery.
};

}  // namespace coppice::backends
