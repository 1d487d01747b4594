#include "services/podgroups/controller.h"

#include <fmt/format.h>

#include <atomic>

#include "api/well_known.h"
#include "kube/events.h"
#include "kube/object.h"
#include "services/common/claims.h"
#include "services/common/gathering.h"
#include "services/names.h"
#include "services/podgroups/gang_state.h"
#include "services/podgroups/pod_usage.h"

namespace coppice::services::podgroups {
namespace {

constexpr const char* kByGroup = "pod-group";
constexpr int64_t kDefaultPriority = 50;
constexpr int64_t kNonPreemptible = 100;

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
  GroupReconciler(kube::Runtime runtime, Options options, std::shared_ptr<Gathering> gathering,
                  kube::Informer* claims)
      : runtime_(runtime),
        options_(std::move(options)),
        gathering_(std::move(gathering)),
        groups_(runtime.cache.InformerFor(api::kPodGroups)),
        pods_(runtime.cache.InformerFor(api::kPods)),
        nodes_(runtime.cache.InformerFor(api::kNodes)),
        priority_classes_(runtime.cache.InformerFor(api::kPriorityClasses)),
        claims_(claims) {
    pods_.AddIndex(kByGroup, GroupIndex);
  }

  base::Result<kube::Requeue> Reconcile(const api::ObjectKey& key) override {
    const base::Duration wait = gathering_->Wait(key, runtime_.executor.Now());
    if (wait > base::Duration::zero()) return kube::Requeue::After(wait);
    const std::optional<json::Value> group = groups_.Get(key);
    if (!group) return kube::Requeue::Done();
    const std::vector<json::Value> pods = pods_.ByIndex(kByGroup, key.ToString());
    COPPICE_ASSIGN(const PodUsage usage, SumOf(pods));
    json::Value patch;
    PatchUsage(*group, usage, patch);
    if (options_.maintain_phase) PatchGang(*group, GangStateOf(*group, pods), patch);
    if (patch.IsNull()) return kube::Requeue::Done();
    COPPICE_TRY(WriteStatus(key, patch));
    return kube::Requeue::Done();
  }

 private:
  base::Result<PodUsage> SumOf(const std::vector<json::Value>& pods) {
    PodUsage sum;
    for (const json::Value& pod : pods) {
      if (IsTerminal(pod)) continue;
      COPPICE_ASSIGN(const std::vector<json::Value> claims, ClaimsOf(pod));
      const auto node = nodes_.Get({"", pod["spec"]["nodeName"].ToString()});
      const auto usage = UsageOf(pod, node.value_or(json::Value()), claims);
      if (!usage) {
        runtime_.events.Event(pod, "Warning", "InvalidResourceRequest", usage.error().message(),
                              kControllerName);
        return usage.error();
      }
      sum.requested.Add(usage->requested);
      sum.allocated.Add(usage->allocated);
    }
    return sum;
  }

  base::Result<std::vector<json::Value>> ClaimsOf(const json::Value& pod) {
    std::vector<json::Value> claims;
    if (!claims_) return claims;
    for (const json::Value& entry : pod["spec"]["resourceClaims"].Items()) {
      COPPICE_ASSIGN(const std::string name, ClaimNameOf(pod, entry["name"].AsString()));
      const auto claim = claims_->Get({std::string(kube::Namespace(pod)), name});
      if (!claim) return base::NotFound(fmt::format("resource claim {} is not there", name));
      claims.push_back(*claim);
    }
    return claims;
  }

  int64_t PriorityOf(const json::Value& group) const {
    const std::string name = group["spec"]["priorityClassName"].ToString();
    if (const auto named = priority_classes_.Get({"", name})) return (*named)["value"].AsInt();
    for (const json::Value& item : priority_classes_.List()) {
      if (item["globalDefault"].AsBool()) return item["value"].AsInt();
    }
    return kDefaultPriority;
  }

  bool IsPreemptible(const json::Value& group) const {
    const std::string_view stated = group["spec"]["preemptibility"].AsString();
    if (!stated.empty()) return stated == "preemptible";
    return PriorityOf(group) < kNonPreemptible;
  }

  void PatchUsage(const json::Value& group, const PodUsage& usage, json::Value& patch) const {
    const json::Value& current = group["status"]["resourcesStatus"];
    json::Value change;
    PatchResources(current, "requested", usage.requested, change);
    PatchResources(current, "allocated", usage.allocated, change);
    PatchResources(current, "allocatedNonPreemptible",
                   IsPreemptible(group) ? ResourceMap() : usage.allocated, change);
    if (!change.IsNull()) patch.Mutable("status").Set("resourcesStatus", std::move(change));
  }

  void PatchGang(const json::Value& group, const GangState& state, json::Value& patch) const {
    // A CRD without the field prunes it; what we wrote then never shows, and is not written again.
    if (phase_is_kept_ && group["status"]["phase"].AsString() != state.phase) {
      patch.Mutable("status").Set("phase", state.phase);
    }
    const std::string_view status = state.minimum_scheduled ? "True" : "False";
    const json::Value& current = kube::Condition(group, "Scheduled");
    if (current["status"].AsString() == status && current["message"].AsString() == state.message) {
      return;
    }
    json::Value condition = json::Value::Object(
        {{"type", "Scheduled"},
         {"status", status},
         {"reason", state.reason},
         {"message", state.message},
         {"transitionID", std::to_string(runtime_.executor.Now().time_since_epoch().count())},
         {"lastTransitionTime", base::FormatRfc3339(runtime_.executor.Now())}});
    if (current["status"].AsString() == status) {
      condition.Set("transitionID", current["transitionID"]);
      condition.Set("lastTransitionTime", current["lastTransitionTime"]);
    }
    json::Value& list = patch.Mutable("status").Mutable("conditions");
    list = json::Value::Array();
    for (const json::Value& other : group["status"]["conditions"].Items()) {
      if (other["type"].AsString() != "Scheduled") list.Append(other);
    }
    list.Append(std::move(condition));
  }

  base::Status WriteStatus(const api::ObjectKey& key, const json::Value& patch) {
    const base::Time begun = runtime_.executor.Now();
    const auto patched = runtime_.client.Patch(api::kPodGroups, key, kube::PatchType::kMerge, patch,
                                               {.subresource = "status"});
    gathering_->Wrote(runtime_.executor.Now() - begun);
    if (!patched) return patched.Is(base::ErrorCode::kNotFound) ? base::Status() : patched.error();
    const json::Value& written = patch["status"]["phase"];
    if (!written.IsNull() && (*patched)["status"]["phase"] != written) phase_is_kept_ = false;
    return {};
  }

  kube::Runtime runtime_;
  const Options options_;
  const std::shared_ptr<Gathering> gathering_;  // Shared with what feeds the controller.
  kube::Informer& groups_;
  kube::Informer& pods_;
  kube::Informer& nodes_;
  kube::Informer& priority_classes_;
  kube::Informer* claims_;
  std::atomic<bool> phase_is_kept_ = true;
};

// A group whose turn is to come anyway need not be woken.
kube::Predicate Wakes(std::shared_ptr<Gathering> gathering,
                      api::ObjectKey (*group)(const json::Value& object)) {
  return [gathering = std::move(gathering), group](const kube::Change& change) {
    const api::ObjectKey key = group(change.object);
    const bool moved = change.type == kube::ChangeType::kUpdated && group(change.old_object) != key;
    return moved || !gathering->IsOpen(key);
  };
}

}  // namespace

base::Status AddToManager(kube::Manager& manager, Options options) {
  COPPICE_ASSIGN(kube::Informer* const claims, ClaimsInformer(manager.runtime()));
  const auto gathering = std::make_shared<Gathering>(manager.runtime().urgency);
  kube::ControllerSpec spec{.name = std::string(kControllerName), .workers = options.workers};
  spec.For(api::kPodGroups, Wakes(gathering, kube::KeyOf));
  const std::string scheduler = options.scheduler_name;
  spec.Watches(
      api::kPods,
      [scheduler](const json::Value& pod) -> std::vector<api::ObjectKey> {
        if (pod["spec"]["schedulerName"].AsString() != scheduler) return {};
        api::ObjectKey key = GroupKeyOf(pod);
        if (key.name.empty()) return {};
        return {std::move(key)};
      },
      Wakes(gathering, GroupKeyOf));
  manager.AddController(
      std::move(spec),
      std::make_unique<GroupReconciler>(manager.runtime(), std::move(options), gathering, claims));
  return {};
}

}  // namespace coppice::services::podgroups
