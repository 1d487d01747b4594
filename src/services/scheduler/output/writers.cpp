#include "services/scheduler/output/writers.h"

#include <fmt/format.h>

#include "api/edit/core.h"
#include "api/edit/kai.h"
#include "api/view/core.h"
#include "api/well_known.h"
#include "base/log.h"
#include "kube/events/events.h"
#include "kube/executor/priority.h"
#include "kube/object.h"
#include "services/common/names.h"
#include "services/scheduler/options/metrics.h"
#include "services/scheduler/read/bind_requests.h"

namespace coppice::services::scheduler {
namespace {

// Annotations of events about evictions.
constexpr std::string_view kEvictedPods = "num-evicted-pods";
constexpr std::string_view kEvictorAction = "evictor-action-type";
constexpr std::string_view kEvictorGroup = "evictor-pod-group-name";
constexpr std::string_view kEvictorNamespace = "evictor-pod-group-namespace";

class Calls final : public kube::Reconciler {
 public:
  using Function = std::function<base::Result<kube::Requeue>(const api::ObjectKey&)>;
  explicit Calls(Function function) : function_(std::move(function)) {}
  base::Result<kube::Requeue> Reconcile(const api::ObjectKey& key) override {
    return function_(key);
  }

 private:
  Function function_;
};

// The object is gone, or was changed concurrently: the next cycle decides.
bool IsFinal(const base::Error& error) {
  return error.Is(base::ErrorCode::kNotFound) || error.Is(base::ErrorCode::kConflict);
}

// The API server copies the annotation to the pod together with the node.
json::Value WriteBinding(const engine::BindDecision& decision, bool marked) {
  json::Value out;
  const edit::core::Binding binding(out);
  binding.set_apiVersion("v1").set_kind("Binding");
  binding.target().set_apiVersion("v1").set_kind("Node").set_name(decision.node);
  const edit::meta::ObjectMeta metadata = binding.metadata();
  metadata.set_namespace_(decision.pod.namespace_name)
      .set_name(decision.pod.name)
      .set_uid(decision.pod.uid);
  if (marked) {
    metadata.annotations().Set(names::kReceivedResourceType, ToString(decision.received));
  }
  return out;
}

json::Value EvictionCondition(const std::string& message, base::Time now) {
  json::Value patch;
  edit::core::Pod(patch)
      .status()
      .add_conditions()
      .set_type("DisruptionTarget")
      .set_status("True")
      .set_reason("PreemptionByScheduler")
      .set_message(message)
      .set_lastTransitionTime(base::FormatRfc3339(now));
  return patch;
}

// The evicting and evicted groups, for programs that read events.
json::Value EvictionAnnotations(const engine::EvictDecision& decision) {
  json::Value annotations = json::Value::Object(
      {{kEvictedPods, std::to_string(decision.gang_size)}, {kEvictorAction, decision.action}});
  if (decision.preemptor) {
    annotations.Set(kEvictorGroup, decision.preemptor->name)
        .Set(kEvictorNamespace, decision.preemptor->namespace_name);
  }
  return annotations;
}

}  // namespace

Writers::Writers(kube::Manager& manager, const Options& options, Assumptions& assumptions,
                 std::function<void(const api::ObjectKey& pod)> on_failure)
    : manager_(manager),
      runtime_(manager.runtime()),
      options_(options),
      component_(options.configuration.scheduler_name),
      controllers_(options.ControllerName()),
      assumptions_(assumptions),
      on_failure_(std::move(on_failure)),
      pods_(runtime_.cache.InformerFor(api::kPods)),
      requests_(runtime_.cache.InformerFor(api::kBindRequests)),
      debouncer_({.priorities = &runtime_.priorities, .recheck = std::chrono::milliseconds(100)}) {
  ForgetWhenGone(pods_);
  ForgetWhenGone(runtime_.cache.InformerFor(api::kPodGroups));
  AddController("binds", options.bind_workers, &Writers::WriteBind);
  AddController("evictions", options.bind_workers, &Writers::WriteEviction);
  AddController("groups", options.status_workers, &Writers::WriteGroup);
  AddController("pods", options.status_workers, &Writers::WritePod);
}

void Writers::AddController(
    const std::string& name, int workers,
    base::Result<kube::Requeue> (Writers::*reconcile)(const api::ObjectKey&)) {
  kube::ControllerSpec spec{.name = controllers_ + "-" + name, .workers = workers};
  manager_.AddController(std::move(spec),
                         std::make_unique<Calls>([this, reconcile](const api::ObjectKey& key) {
                           return (this->*reconcile)(key);
                         }));
}

// ---- Binds -----------------------------------------------------------------------------------

void Writers::Bind(engine::BindDecision decision, std::string node_pool, std::string group,
                   BindMethod by) {
  const api::ObjectKey key{decision.pod.namespace_name, decision.pod.name};
  pod_conditions_.Drop(key);
  refused_.Drop(key);
  assumptions_.AssumeBound(decision);
  binds_.Put(key, {std::move(decision), std::move(node_pool), std::move(group), by,
                   runtime_.executor.Elapsed()});
  manager_.Enqueue(controllers_ + "-binds", key, kube::Priority::kHighest);
}

base::Result<kube::Requeue> Writers::WriteBind(const api::ObjectKey& key) {
  const std::optional<PendingBind> bind = binds_.Take(key);
  if (!bind) return RetryDecision(key);
  const kube::PriorityScope binding(runtime_.priorities, kube::Priority::kHighest);
  if (const base::Status written = WriteDecision(*bind); !written) {
    BindFailed(*bind, written.error());
    return kube::Requeue::After(options_.schedule_period);
  }
  ObserveBind(runtime_.metrics, options_.metrics_namespace,
              runtime_.executor.Elapsed() - bind->decided);
  if (const auto pod = pods_.Get(key)) {
    Note(*pod, {"Normal", "Scheduled",
                fmt::format("Successfully assigned pod {}/{} to node {} at node-pool {}", key.ns,
                            key.name, bind->decision.node, bind->node_pool)});
  }
  COPPICE_TRY(LabelNodePool(key));
  return kube::Requeue::Done();
}

base::Status Writers::WriteDecision(const PendingBind& bind) {
  if (bind.by != BindMethod::kRequest) {
    COPPICE_TRY(runtime_.client.Create(api::kPods,
                                       WriteBinding(bind.decision, bind.by == BindMethod::kBinding),
                                       {.subresource = "binding"}));
  } else {
    COPPICE_TRY(runtime_.client.Create(api::kBindRequests,
                                       WriteBindRequest(bind.decision, options_.node_pool_label_key,
                                                        options_.partition_label_value)));
  }
  return {};
}

void Writers::BindFailed(const PendingBind& bind, const base::Error& error) {
  const api::ObjectKey key{bind.decision.pod.namespace_name, bind.decision.pod.name};
  const std::string message = fmt::format("Failed to bind pod {}/{} to node {}. {}", key.ns,
                                          key.name, bind.decision.node, error.message());
  base::LogWarn("a bind request could not be written",
                {{"pod", key.ToString()}, {"error", error.message()}});
  if (const auto pod = pods_.Get(key)) Note(*pod, {"Warning", "FailedBinding", message});
  pod_conditions_.Put(key, {"BindingError", message});
  manager_.Enqueue(controllers_ + "-pods", key);
  refused_.Put(key, true);
  DropRest(bind);
}

// Of its group, what is bound stays so, and what is not written yet waits for the next cycle.
void Writers::DropRest(const PendingBind& failed) {
  if (failed.group.empty()) return;
  const auto of_group = [&](const api::ObjectKey& key, const PendingBind& bind) {
    return key.ns == failed.decision.pod.namespace_name && bind.group == failed.group;
  };
  for (const api::ObjectKey& key : binds_.DropIf(of_group)) {
    assumptions_.ForgetBound(key);
    on_failure_(key);
  }
}

// A decision whose write failed is kept for one period, because the cause (a request of an earlier
// process, a server in trouble) will not disappear at once. It is kept longer while the write may
// have taken effect without the caches showing it: its resources would be allocated twice.
base::Result<kube::Requeue> Writers::RetryDecision(const api::ObjectKey& key) {
  if (!refused_.Take(key)) return kube::Requeue::Done();
  const base::Result<bool> shown = IsOutcomeCached(key);
  if (!shown || !*shown) {
    refused_.Put(key, true);
    return kube::Requeue::After(options_.schedule_period);
  }
  assumptions_.ForgetBound(key);
  on_failure_(key);
  return kube::Requeue::Done();
}

// Asked in this order: a request goes only after its pod was bound.
base::Result<bool> Writers::IsOutcomeCached(const api::ObjectKey& key) {
  const auto request = runtime_.client.Get(api::kBindRequests, key);
  if (!request && !request.Is(base::ErrorCode::kNotFound)) return request.error();
  if (request) return requests_.Get(key).has_value();
  const auto pod = runtime_.client.Get(api::kPods, key);
  if (!pod && !pod.Is(base::ErrorCode::kNotFound)) return pod.error();
  const bool bound = pod && !view::core::Pod(*pod).spec().nodeName().empty();
  if (!bound) return true;
  const auto cached = pods_.Get(key);
  return !cached || !view::core::Pod(*cached).spec().nodeName().empty();
}

base::Status Writers::LabelNodePool(const api::ObjectKey& key) {
  if (options_.partition_label_value.empty()) return {};
  const auto pod = pods_.Get(key);
  const std::string& label = options_.node_pool_label_key;
  if (!pod || kube::Label(*pod, label) == options_.partition_label_value) return {};
  json::Value patch = json::Value::Object();
  edit::core::Pod(patch).metadata().labels().Set(label, options_.partition_label_value);
  const auto patched = runtime_.client.Patch(api::kPods, key, kube::PatchType::kMerge, patch);
  if (!patched && !IsFinal(patched.error())) return patched.error();
  return {};
}

// ---- Evictions -------------------------------------------------------------------------------

void Writers::Evict(engine::EvictDecision decision, json::Value group) {
  const api::ObjectKey key{decision.pod.namespace_name, decision.pod.name};
  assumptions_.AssumeEvicted(decision.pod.uid, runtime_.executor.Now());
  evictions_.Put(key, {std::move(decision), std::move(group)});
  manager_.Enqueue(controllers_ + "-evictions", key, kube::Priority::kHighest);
}

base::Result<kube::Requeue> Writers::WriteEviction(const api::ObjectKey& key) {
  const std::optional<PendingEviction> eviction = evictions_.Take(key);
  if (!eviction) return kube::Requeue::Done();
  const kube::PriorityScope evicting(runtime_.priorities, kube::Priority::kHighest);
  const engine::EvictDecision& decision = eviction->decision;
  if (!decision.message.empty() && !eviction->group.IsNull()) {
    runtime_.events.AnnotatedEvent(eviction->group, "Normal", "Evict", decision.message, component_,
                                   EvictionAnnotations(decision));
  }
  if (options_.update_pod_eviction_condition) {
    const auto patched = runtime_.client.Patch(
        api::kPods, key, kube::PatchType::kStrategic,
        EvictionCondition(decision.message, runtime_.executor.Now()), {.subresource = "status"});
    if (!patched) {
      base::LogWarn("an eviction condition could not be written",
                    {{"pod", key.ToString()}, {"error", patched.error().message()}});
    }
  }
  const base::Status deleted = runtime_.client.Delete(api::kPods, key, {.uid = decision.pod.uid});
  if (!deleted && !IsFinal(deleted.error())) {
    assumptions_.ForgetEvicted(decision.pod.uid);
    on_failure_(key);
    base::LogWarn("a pod could not be evicted",
                  {{"pod", key.ToString()}, {"error", deleted.error().message()}});
  }
  return kube::Requeue::Done();
}

// ---- Status ----------------------------------------------------------------------------------

void Writers::Record(const json::Value& group, GroupRecord record) {
  for (const EventNote& event : record.events) {
    if (IsNewEvent(group, event)) {
      runtime_.events.Event(group, event.type, event.reason, event.message, component_);
    }
  }
  for (const PodNote& note : record.pods) {
    const api::ObjectKey key{note.pod.namespace_name, note.pod.name};
    const auto pod = pods_.Get(key);
    if (!pod) continue;
    Note(*pod, note.event);
    if (!note.set_condition) continue;
    if (!PodConditionPatch(*pod, note.event.reason, note.event.message, {})) continue;
    pod_conditions_.Put(key, {note.event.reason, note.event.message});
    manager_.Enqueue(controllers_ + "-pods", key);
  }
  const api::ObjectKey key = kube::KeyOf(group);
  if (record.metadata_patch.IsNull() && !record.conditions) return;
  const bool may_wait = record.can_be_recovered;
  const bool is_new = groups_.PutNew(
      key, {std::move(record.metadata_patch), std::move(record.conditions), may_wait});
  if (!is_new) return;
  manager_.Enqueue(controllers_ + "-groups", key,
                   may_wait ? kube::Priority::kNormal : kube::Priority::kHighest);
}

void Writers::SetUnschedulable(const json::Value& pod, const std::string& message) {
  if (!PodConditionPatch(pod, "Unschedulable", message, {})) return;
  const api::ObjectKey key = kube::KeyOf(pod);
  pod_conditions_.Put(key, {"Unschedulable", message});
  manager_.Enqueue(controllers_ + "-pods", key);
}

base::Result<kube::Requeue> Writers::WriteGroup(const api::ObjectKey& key) {
  std::optional<PendingGroup> pending = groups_.Take(key);
  if (!pending || !pending->may_wait) debouncer_.Forget(key);
  if (!pending) return kube::Requeue::Done();
  if (pending->may_wait) {
    const base::Duration wait = debouncer_.Delay(key, runtime_.executor.Elapsed());
    if (wait > base::Duration::zero()) {
      groups_.PutBack(key, std::move(*pending));
      return kube::Requeue::After(wait);
    }
  }
  const base::Status written = WriteRecord(key, *pending);
  if (written || written.Is(base::ErrorCode::kNotFound)) return kube::Requeue::Done();
  groups_.PutBack(key, std::move(*pending));
  return written.error();
}

base::Status Writers::WriteRecord(const api::ObjectKey& key, PendingGroup& pending) {
  if (pending.conditions) {
    json::Value patch = json::Value::Object();
    const bool clear = pending.conditions->empty();
    edit::kai::PodGroup(patch).status().set_schedulingConditions(clear ? json::Value()
                                                                       : *pending.conditions);
    COPPICE_TRY(runtime_.client.Patch(api::kPodGroups, key, kube::PatchType::kMerge, patch,
                                      {.subresource = "status"}));
    pending.conditions.reset();
  }
  if (pending.metadata_patch.IsNull()) return {};
  COPPICE_TRY(
      runtime_.client.Patch(api::kPodGroups, key, kube::PatchType::kMerge, pending.metadata_patch));
  return {};
}

base::Result<kube::Requeue> Writers::WritePod(const api::ObjectKey& key) {
  const std::optional<PendingPod> pending = pod_conditions_.Take(key);
  const auto pod = pods_.Get(key);
  if (!pending || !pod) return kube::Requeue::Done();
  const auto patch =
      PodConditionPatch(*pod, pending->reason, pending->message, runtime_.executor.Now());
  if (!patch) return kube::Requeue::Done();
  const auto patched = runtime_.client.Patch(api::kPods, key, kube::PatchType::kStrategic, *patch,
                                             {.subresource = "status"});
  if (!patched && !IsFinal(patched.error())) {
    base::LogWarn("a pod condition could not be written",
                  {{"pod", key.ToString()}, {"error", patched.error().message()}});
  }
  return kube::Requeue::Done();
}

// ---- Events ----------------------------------------------------------------------------------

void Writers::Note(const json::Value& pod, const EventNote& event) {
  if (IsNewEvent(pod, event)) {
    runtime_.events.Event(pod, event.type, event.reason, event.message, component_);
  }
}

// A cycle repeats what it said before as long as nothing changes; an idle cluster writes nothing.
bool Writers::IsNewEvent(const json::Value& object, const EventNote& event) {
  std::lock_guard lock(mutex_);
  std::string& last = sent_[std::string(kube::Uid(object))][event.reason];
  if (last == event.message) return false;
  last = event.message;
  return true;
}

void Writers::ForgetWhenGone(kube::Informer& informer) {
  informer.AddHandler([this](const kube::Change& change) {
    if (change.type != kube::ChangeType::kDeleted) return;
    std::lock_guard lock(mutex_);
    sent_.erase(std::string(kube::Uid(change.object)));
  });
}

}  // namespace coppice::services::scheduler
