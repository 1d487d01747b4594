#include "services/podgroups/controller.h"

#include <fmt/format.h>

#include <atomic>

#include "api/edit/kai.h"
#include "api/key/kai.h"
#include "api/view/core.h"
#include "api/view/kai.h"
#include "api/view/scheduling.h"
#include "api/well_known.h"
#include "kube/controller/debouncer.h"
#include "kube/events/events.h"
#include "kube/object.h"
#include "services/common/claims.h"
#include "services/common/names.h"
#include "services/podgroups/gang_state.h"
#include "services/podgroups/pod_usage.h"

namespace coppice::services::podgroups {
namespace {

constexpr const char* kByGroup = "pod-group";
constexpr int64_t kDefaultPriority = 50;
constexpr int64_t kNonPreemptible = 100;
constexpr std::string_view kScheduled = "Scheduled";  // Condition.

api::ObjectKey GroupKeyOf(const json::Value& pod) {
  return {std::string(kube::Namespace(pod)),
          std::string(kube::Annotation(pod, names::kPodGroupAnnotation))};
}

std::vector<std::string> GroupIndex(const json::Value& pod) {
  const api::ObjectKey key = GroupKeyOf(pod);
  if (key.name.empty()) return {};
  return {key.ToString()};
}

base::Result<kube::Informer*> ClaimsInformer(kube::Runtime runtime) {
  COPPICE_ASSIGN(const auto claims, ServedClaims(runtime.client));
  return claims ? &runtime.cache.InformerFor(*claims) : nullptr;
}

class GroupReconciler final : public kube::Reconciler {
 public:
  GroupReconciler(kube::Runtime runtime, Options options,
                  std::shared_ptr<kube::Debouncer> debouncer, kube::Informer* claims)
      : runtime_(runtime),
        options_(std::move(options)),
        debouncer_(std::move(debouncer)),
        groups_(runtime.cache.InformerFor(api::kPodGroups)),
        pods_(runtime.cache.InformerFor(api::kPods)),
        nodes_(runtime.cache.InformerFor(api::kNodes)),
        priority_classes_(runtime.cache.InformerFor(api::kPriorityClasses)),
        claims_(claims) {
    pods_.AddIndex(kByGroup, GroupIndex);
  }

  base::Result<kube::Requeue> Reconcile(const api::ObjectKey& key) override {
    const base::Duration wait = debouncer_->Delay(key, runtime_.executor.Elapsed());
    if (wait > base::Duration::zero()) return kube::Requeue::After(wait);
    const std::optional<json::Value> group = groups_.Get(key);
    if (!group) return kube::Requeue::Done();
    const std::vector<json::Value> pods = pods_.ByIndex(kByGroup, key.ToString());
    const PodUsage usage = SumOf(pods);
    json::Value patch;
    PatchUsage(view::kai::PodGroup(*group), usage, patch);
    if (options_.maintain_phase) {
      PatchGang(view::kai::PodGroup(*group), GangStateOf(*group, pods), patch);
    }
    if (patch.IsNull()) return kube::Requeue::Done();
    COPPICE_TRY(WriteStatus(key, patch));
    return kube::Requeue::Done();
  }

 private:
  // A pod with an invalid request does not count, and gets an event.
  PodUsage SumOf(const std::vector<json::Value>& pods) {
    PodUsage sum;
    for (const json::Value& pod : pods) {
      if (IsTerminal(pod)) continue;
      const auto node = nodes_.Get({"", std::string(view::core::Pod(pod).spec().nodeName())});
      const auto usage = UsageOf(pod, node.value_or(json::Value()), ClaimsOf(pod));
      if (!usage) {
        runtime_.events.Event(pod, "Warning", "InvalidResourceRequest", usage.error().message(),
                              kControllerName);
        continue;
      }
      sum.requested.Add(usage->requested);
      sum.allocated.Add(usage->allocated);
    }
    return sum;
  }

  // Those that exist; the others trigger an update when they appear.
  std::vector<json::Value> ClaimsOf(const json::Value& pod) {
    std::vector<json::Value> claims;
    if (!claims_) return claims;
    for (const auto entry : view::core::Pod(pod).spec().resourceClaims()) {
      const auto name = ClaimNameOf(pod, entry.name());
      const auto claim =
          name ? claims_->Get({std::string(kube::Namespace(pod)), *name}) : std::nullopt;
      if (claim) claims.push_back(*claim);
    }
    return claims;
  }

  int64_t PriorityOf(std::string_view class_name) const {
    using view::scheduling::PriorityClass;
    if (const auto named = priority_classes_.Get({"", std::string(class_name)})) {
      return PriorityClass(*named).value();
    }
    for (const json::Value& item : priority_classes_.List()) {
      if (PriorityClass(item).globalDefault()) return PriorityClass(item).value();
    }
    return kDefaultPriority;
  }

  bool IsPreemptible(view::kai::PodGroupSpec group) const {
    if (const std::string_view stated = group.preemptibility(); !stated.empty()) {
      return stated == "preemptible";
    }
    return PriorityOf(group.priorityClassName()) < kNonPreemptible;
  }

  void PatchUsage(view::kai::PodGroup group, const PodUsage& usage, json::Value& patch) const {
    using Key = key::kai::ResourcesStatus;
    const json::Value& current = group.status().resourcesStatus().Json();
    json::Value change;
    PatchResources(current, Key::requested, usage.requested, change);
    PatchResources(current, Key::allocated, usage.allocated, change);
    PatchResources(current, Key::allocatedNonPreemptible,
                   IsPreemptible(group.spec()) ? ResourceMap() : usage.allocated, change);
    if (change.IsNull()) return;
    edit::kai::PodGroup(patch).status().set_resourcesStatus(std::move(change));
  }

  void PatchGang(view::kai::PodGroup group, const GangState& state, json::Value& patch) const {
    const edit::kai::PodGroup out(patch);
    // A CRD without the field prunes it; what we wrote then never shows, and is not written again.
    if (phase_is_kept_ && group.status().phase() != state.phase) {
      out.status().set_phase(state.phase);
    }
    const std::string_view status = state.minimum_scheduled ? "True" : "False";
    const view::kai::GroupCondition current(kube::Condition(group.Json(), kScheduled));
    if (current.status() == status && current.message() == state.message) return;
    json::Value list = json::Value::Array();
    for (const view::kai::GroupCondition other : group.status().conditions()) {
      if (other.type() != kScheduled) list.Append(other.Json());
    }
    list.Append(NextCondition(current, status, state));
    out.status().set_conditions(std::move(list));
  }

  // A condition that keeps its status keeps its time.
  json::Value NextCondition(view::kai::GroupCondition current, std::string_view status,
                            const GangState& state) const {
    json::Value condition = current.Json();
    const edit::kai::GroupCondition out(condition);
    if (current.status() != status) {
      const base::Time now = runtime_.executor.Now();
      out.set_transitionID(std::to_string(now.time_since_epoch().count()))
          .set_lastTransitionTime(base::FormatRfc3339(now));
    }
    out.set_type(kScheduled).set_status(status);
    out.set_reason(state.reason).set_message(state.message);
    return condition;
  }

  base::Status WriteStatus(const api::ObjectKey& key, const json::Value& patch) {
    const base::Instant begun = runtime_.executor.Elapsed();
    const auto patched = runtime_.client.Patch(api::kPodGroups, key, kube::PatchType::kMerge, patch,
                                               {.subresource = "status"});
    debouncer_->Wrote(runtime_.executor.Elapsed() - begun);
    if (!patched) return patched.Is(base::ErrorCode::kNotFound) ? base::Status() : patched.error();
    const auto written = view::kai::PodGroup(patch).status();
    const auto kept = view::kai::PodGroup(*patched).status();
    if (written.has_phase() && kept.phase() != written.phase()) phase_is_kept_ = false;
    return {};
  }

  kube::Runtime runtime_;
  const Options options_;
  const std::shared_ptr<kube::Debouncer> debouncer_;  // Shared with what feeds the controller.
  kube::Informer& groups_;
  kube::Informer& pods_;
  kube::Informer& nodes_;
  kube::Informer& priority_classes_;
  kube::Informer* claims_;
  std::atomic<bool> phase_is_kept_ = true;
};

// A group with a deferred write need not be woken: that write includes the change.
kube::Predicate Wakes(std::shared_ptr<kube::Debouncer> debouncer,
                      api::ObjectKey (*group)(const json::Value& object)) {
  return [debouncer = std::move(debouncer), group](const kube::Change& change) {
    const api::ObjectKey key = group(change.object);
    const bool moved = change.type == kube::ChangeType::kUpdated && group(change.old_object) != key;
    return moved || !debouncer->IsPending(key);
  };
}

}  // namespace

base::Status AddToManager(kube::Manager& manager, Options options) {
  COPPICE_ASSIGN(kube::Informer* const claims, ClaimsInformer(manager.runtime()));
  const auto debouncer = std::make_shared<kube::Debouncer>(kube::Debouncer::Options{
      .priorities = &manager.runtime().priorities, .recheck = std::chrono::milliseconds(100)});
  kube::ControllerSpec spec{.name = std::string(kControllerName), .workers = options.workers};
  spec.For(api::kPodGroups, Wakes(debouncer, kube::KeyOf));
  const std::string scheduler = options.scheduler_name;
  spec.Watches(
      api::kPods,
      [scheduler](const json::Value& pod) -> std::vector<api::ObjectKey> {
        if (view::core::Pod(pod).spec().schedulerName() != scheduler) return {};
        api::ObjectKey key = GroupKeyOf(pod);
        if (key.name.empty()) return {};
        return {std::move(key)};
      },
      Wakes(debouncer, GroupKeyOf));
  manager.AddController(
      std::move(spec),
      std::make_unique<GroupReconciler>(manager.runtime(), std::move(options), debouncer, claims));
  return {};
}

}  // namespace coppice::services::podgroups
