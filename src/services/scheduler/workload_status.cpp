#include "services/scheduler/workload_status.h"

#include "api/well_known.h"
#include "kube/apply.h"
#include "kube/object.h"
#include "services/scheduler/workload_groups.h"

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
      return kube::Requeue::Done();  // True is for ever.
    }
    const Value condition = Judge(*group);
    if (condition.IsNull()) return kube::Requeue::Done();
    Value status = (*group)["status"];
    if (!SetCondition(condition, status)) return kube::Requeue::Done();
    COPPICE_TRY(kube::PatchStatus(runtime_.client, resource_, *group, status));
    return kube::Requeue::Done();
  }

 private:
  Value Judge(const Value& group) const {
    const int64_t needed = group["spec"]["schedulingPolicy"]["gang"]["minCount"].AsInt(1);
    int64_t bound = 0;
    std::string refusal;
    for (const Value& pod : pods_.ByIndex(kBySchedulingGroup, kube::KeyOf(group).ToString())) {
      bound += !pod["spec"]["nodeName"].AsString().empty();
      const Value& scheduled = kube::Condition(pod, "PodScheduled");
      if (scheduled["reason"].AsString() == "Unschedulable" && refusal.empty()) {
        refusal = scheduled["message"].ToString();
      }
    }
    if (bound >= needed) return Make("True", "Scheduled", "the group has its minimum on nodes");
    return refusal.empty() ? Value() : Make("False", "Unschedulable", refusal);
  }

  Value Make(const char* status, const char* reason, std::string_view message) const {
    return Value::Object({{"type", ConditionType(resource_)},
                          {"status", status},
                          {"reason", reason},
                          {"message", message},
                          {"lastTransitionTime", base::FormatRfc3339(runtime_.executor.Now())}});
  }

  // False when it says the same already.
  static bool SetCondition(Value condition, Value& status) {
    for (Value& known : status.Mutable("conditions").MutableItems()) {
      if (known["type"] != condition["type"]) continue;
      if (known["status"] == condition["status"] && known["message"] == condition["message"]) {
        return false;
      }
      if (known["status"] == condition["status"]) {
        condition.Set("lastTransitionTime", known["lastTransitionTime"]);
      }
      known = std::move(condition);
      return true;
    }
    status.Mutable("conditions").Append(std::move(condition));
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
                      pod["spec"]["schedulingGroup"]["podGroupName"].ToString()});
    }
    return keys;
  });
  manager.AddController(std::move(spec), std::make_unique<StatusReconciler>(runtime, *groups));
  return {};
}

}  // namespace coppice::services::scheduler
