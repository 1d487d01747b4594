#include "services/scheduler/output/workload_status.h"

#include "api/edit/meta.h"
#include "api/edit/scheduling_v1alpha3.h"
#include "api/view/core.h"
#include "api/view/meta.h"
#include "api/view/scheduling_v1alpha3.h"
#include "api/well_known.h"
#include "kube/cache/apply.h"
#include "kube/object.h"
#include "services/scheduler/feed/workload_groups.h"

namespace coppice::services::scheduler {
namespace {

using json::Value;

// 1.36 and later call it differently.
std::string_view ConditionType(const api::Resource& groups) {
  return groups.version == "v1alpha2" ? "PodGroupScheduled" : "PodGroupInitiallyScheduled";
}

class StatusReconciler final : public kube::Reconciler {
 public:
  StatusReconciler(kube::Runtime runtime, const api::Resource& groups)
      : runtime_(runtime),
        resource_(groups),
        groups_(runtime.cache.InformerFor(groups)),
        pods_(runtime.cache.InformerFor(api::kPods)) {}

  base::Result<kube::Requeue> Reconcile(const api::ObjectKey& key) override {
    const std::optional<Value> group = groups_.Get(key);
    if (!group || kube::ConditionIs(*group, ConditionType(resource_), "True")) {
      return kube::Requeue::Done();  // Stays True forever.
    }
    const Value condition = Judge(*group);
    if (condition.IsNull()) return kube::Requeue::Done();
    Value status = view::scheduling_v1alpha3::PodGroup(*group).status().Json();
    if (!SetCondition(condition, status)) return kube::Requeue::Done();
    COPPICE_TRY(kube::PatchStatus(runtime_.client, resource_, *group, status));
    return kube::Requeue::Done();
  }

 private:
  Value Judge(const Value& group) const {
    const int64_t needed = MinCount(view::scheduling_v1alpha3::PodGroup(group).spec());
    int64_t bound = 0;
    std::string refusal;
    for (const Value& pod : pods_.ByIndex(kBySchedulingGroup, kube::KeyOf(group).ToString())) {
      bound += !view::core::Pod(pod).spec().nodeName().empty();
      const view::core::PodCondition scheduled(kube::Condition(pod, "PodScheduled"));
      if (scheduled.reason() == "Unschedulable" && refusal.empty()) refusal = scheduled.message();
    }
    if (bound >= needed) return Make("True", "Scheduled", "the group has its minimum on nodes");
    return refusal.empty() ? Value() : Make("False", "Unschedulable", refusal);
  }

  Value Make(const char* status, const char* reason, std::string_view message) const {
    Value condition;
    edit::meta::Condition(condition)
        .set_type(ConditionType(resource_))
        .set_status(status)
        .set_reason(reason)
        .set_message(message)
        .set_lastTransitionTime(base::FormatRfc3339(runtime_.executor.Now()));
    return condition;
  }

  // False when it says the same already.
  static bool SetCondition(Value condition, Value& status) {
    const view::meta::Condition wanted(condition);
    Value& list = edit::scheduling_v1alpha3::PodGroupStatus(status).conditions().Json();
    for (Value& item : list.MutableItems()) {
      const view::meta::Condition known(item);
      if (known.type() != wanted.type()) continue;
      const bool same_status = known.status() == wanted.status();
      if (same_status && known.message() == wanted.message()) return false;
      if (same_status) {
        edit::meta::Condition(condition).set_lastTransitionTime(known.lastTransitionTime());
      }
      item = std::move(condition);
      return true;
    }
    list.Append(std::move(condition));
    return true;
  }

  kube::Runtime runtime_;
  const api::Resource resource_;
  kube::Informer& groups_;
  kube::Informer& pods_;
};

}  // namespace

base::Status AddWorkloadStatus(kube::Manager& manager) {
  const kube::Runtime runtime = manager.runtime();
  COPPICE_ASSIGN(const auto groups, ServedPodGroups(runtime.client));
  if (!groups) return {};
  runtime.cache.InformerFor(api::kPods).AddIndex(kBySchedulingGroup, SchedulingGroupIndex);
  kube::ControllerSpec spec{.name = "workload-pod-groups", .workers = 2};
  spec.For(*groups);
  spec.Watches(api::kPods, [](const Value& pod) {
    std::vector<api::ObjectKey> keys;
    if (!SchedulingGroupIndex(pod).empty()) {
      keys.push_back({std::string(kube::Namespace(pod)),
                      std::string(view::core::Pod(pod).spec().schedulingGroup().podGroupName())});
    }
    return keys;
  });
  manager.AddController(std::move(spec), std::make_unique<StatusReconciler>(runtime, *groups));
  return {};
}

}  // namespace coppice::services::scheduler
