#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "backends/framework/registry.h"
#include "backends/gangs/cache_view.h"
#include "backends/gangs/gang_reader.h"
#include "backends/sync/sync.h"
#include "kube/controller/debouncer.h"
#include "kube/events/events.h"
#include "kube/metrics.h"
#include "kube/process/manager.h"

namespace coppice::backends {

// The controller of one backend: PodGang → the scheduler's objects, status back. Ignores gangs of
// other backends, except that it removes objects that it once created for them.
class BackendReconciler final : public kube::Reconciler {
 public:
  using CurrentSet = std::function<std::shared_ptr<const BackendSet>()>;

  BackendReconciler(std::string backend, kube::Runtime runtime, ClusterState& state,
                    CurrentSet current);

  base::Result<kube::Requeue> Reconcile(const api::ObjectKey& key) override;

 private:
  // `readable`: whether the backend's resources can be read.
  base::Result<kube::Requeue> ReconcileGang(const json::Value& gang, const BackendSet& backends,
                                            const Selection& selection,
                                            const base::Status& readable);
  base::Result<SyncReport> Sync(const GangInput& input, const json::Value& gang,
                                const SchedulerBackend& backend, const Translation& translation,
                                std::span<const json::Value> pods);
  void LogHandOver(const json::Value& gang, const SyncReport& report,
                   const std::string& objects) const;
  // Adds missing annotations to the PodGang; returns whether there were any.
  base::Result<bool> Annotate(const json::Value& gang, const json::Value& annotations);
  // Returns true to requeue soon.
  base::Result<bool> DoRepair(const GangInput& input, const json::Value& gang,
                              const SchedulerBackend& backend, std::span<const json::Value> objects,
                              std::span<const json::Value> pods);
  // Makes the scheduler retry waiting pods if capacity was freed since the last time. Returns
  // whether there are waiting pods.
  base::Result<bool> Wake(const SchedulerBackend& backend, const json::Value& gang,
                          const Translation& translation, std::span<const json::Value> pods);
  bool NeedsNudge(const api::ObjectKey& gang);
  // Zero if `status` must be written now, else how long to defer the write.
  base::Duration DelayOf(const GangInput& input, const json::Value& gang, const json::Value& status,
                         std::span<const json::Value> pods);
  void Forget(const api::ObjectKey& gang);
  base::Status WriteStatus(const json::Value& gang, const json::Value& status);
  void Report(const GangInput& input, const json::Value& gang, const json::Value& status,
              const Translation& translation);
  // Reports as an event if we do not write the gang's status (BackendsWriteGangStatus).
  void ReportAsEvent(const json::Value& gang, const SchedulerBackend& backend,
                     const Refusal& problem);
  base::Status RemoveLeftovers(const json::Value& gang, const BackendInstance& instance,
                               const Selection& selection, std::span<const json::Value> pods);

  const std::string backend_;
  kube::Runtime runtime_;
  ClusterState& state_;
  const CurrentSet current_;
  ObjectSyncer syncer_;
  GangReader reader_;
  kube::Debouncer arrival_debouncer_;
  kube::Debouncer debouncer_;
  mutable std::mutex mutex_;  // Guards the members below.
  struct Woken {
    uint64_t freed = 0;  // ClusterState::Freed() at that time.
    base::Instant at;
  };
  std::map<api::ObjectKey, Woken> woken_;  // Gangs with waiting pods.
};

}  // namespace coppice::backends
