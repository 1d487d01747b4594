#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "engine/model/result.h"
#include "kube/controller/debouncer.h"
#include "kube/process/manager.h"
#include "services/scheduler/feed/assumptions.h"
#include "services/scheduler/options/options.h"
#include "services/scheduler/output/outbox.h"
#include "services/scheduler/output/record.h"

namespace coppice::services::scheduler {

// Writes a cycle's decisions to the API concurrently, while the next cycle may already run.
// `on_failure` reports pods whose write failed, so that they are decided again.
class Writers {
 public:
  Writers(kube::Manager& manager, const Options& options, Assumptions& assumptions,
          std::function<void(const api::ObjectKey& pod)> on_failure);

  // How a decision is carried out: by the binder, through a BindRequest; by this scheduler; or by
  // this scheduler instead of the default one, which leaves no annotation on the pod.
  enum class BindMethod { kRequest, kBinding, kUnmarkedBinding };
  // `group` is the name of the pod's PodGroup: if one of its pods cannot be bound, the later ones
  // of the same cycle are decided again (docs/behaviour/engine.md S-46).
  void Bind(engine::BindDecision decision, std::string node_pool, std::string group,
            BindMethod by = BindMethod::kRequest);
  // `group` is the PodGroup of the pod, for the event.
  void Evict(engine::EvictDecision decision, json::Value group);
  void Record(const json::Value& group, GroupRecord record);
  void SetUnschedulable(const json::Value& pod, const std::string& message);
  // An event about a pod, once per message.
  void Note(const json::Value& pod, const EventNote& event);

 private:
  struct PendingBind {
    engine::BindDecision decision;
    std::string node_pool;
    std::string group;  // Empty: none.
    BindMethod by = BindMethod::kRequest;
    base::Instant decided;
  };
  struct PendingEviction {
    engine::EvictDecision decision;
    json::Value group;
  };
  struct PendingGroup {
    json::Value metadata_patch;
    std::optional<json::Value> conditions;
    bool may_wait = true;  // May be deferred for urgent work; see kube::Debouncer.

    bool operator==(const PendingGroup&) const = default;
  };
  struct PendingPod {
    std::string reason;
    std::string message;
  };

  void AddController(const std::string& name, int workers,
                     base::Result<kube::Requeue> (Writers::*reconcile)(const api::ObjectKey&));
  base::Result<kube::Requeue> WriteBind(const api::ObjectKey& key);
  base::Result<kube::Requeue> WriteEviction(const api::ObjectKey& key);
  base::Result<kube::Requeue> WriteGroup(const api::ObjectKey& key);
  base::Result<kube::Requeue> WritePod(const api::ObjectKey& key);
  base::Status WriteDecision(const PendingBind& bind);
  base::Status WriteRecord(const api::ObjectKey& group, PendingGroup& pending);
  base::Status LabelNodePool(const api::ObjectKey& pod);
  void BindFailed(const PendingBind& bind, const base::Error& error);
  void DropRest(const PendingBind& failed);
  base::Result<kube::Requeue> RetryDecision(const api::ObjectKey& key);
  base::Result<bool> IsOutcomeCached(const api::ObjectKey& key);
  // Forgets which events were sent about objects that are gone.
  void ForgetWhenGone(kube::Informer& informer);
  bool IsNewEvent(const json::Value& object, const EventNote& event);

  kube::Manager& manager_;
  kube::Runtime runtime_;
  const Options& options_;
  const std::string component_;    // As in events.
  const std::string controllers_;  // Prefix of its controllers' names.
  Assumptions& assumptions_;
  const std::function<void(const api::ObjectKey& pod)> on_failure_;
  kube::Informer& pods_;
  kube::Informer& requests_;
  Outbox<PendingBind> binds_;
  Outbox<bool> refused_;
  Outbox<PendingEviction> evictions_;
  Outbox<PendingGroup> groups_;
  Outbox<PendingPod> pod_conditions_;
  // For writes on groups that can be derived again.
  kube::Debouncer debouncer_;

  std::mutex mutex_;  // Guards what follows.
  // Last message per object and reason.
  std::unordered_map<std::string, std::map<std::string, std::string>> sent_;
};

}  // namespace coppice::services::scheduler
