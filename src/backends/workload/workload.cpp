#include "backends/workload/workload.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/conditions.h"
#include "api/edit/core.h"
#include "api/gates.h"
#include "api/view/core.h"
#include "api/view/scheduling_v1alpha1.h"
#include "backends/framework/pods.h"
#include "backends/workload/canaries.h"
#include "backends/workload/objects.h"
#include "kube/object.h"

namespace coppice::backends::workload {
namespace {

using json::Value;

// The Workload entry that a role's pods name in 1.35, and the key that distinguishes roles which
// share one.
void SetWorkloadRef(const Plan& plan, const std::vector<DesiredObject>& objects, const Group& group,
                    bool surplus, edit::core::WorkloadReference reference) {
  const bool shared = plan.groups.size() > kMaxTemplates;
  const std::string entry = surplus ? "surplus" : shared ? group.template_name : group.name;
  reference.set_name(plan.workload).set_podGroup(entry);
  for (const DesiredObject& desired : objects) {
    const view::scheduling_v1alpha1::Workload workload(desired.object);
    for (const auto item : workload.spec().podGroups()) {
      if (item.name() == entry) reference.set_name(workload.metadata().name());
    }
  }
  if (shared && !surplus) reference.set_podGroupReplicaKey(group.name);
}

std::vector<DesiredObject> Objects(const GangInput& input, const Plan& plan) {
  if (plan.mode == Mode::kComposite) return ObjectsComposite(input, plan);
  return plan.api.shape == ApiShape::k135 ? Objects135(input, plan) : ObjectsFlat(input, plan);
}

void ReadPodGroup(const Value& pod_group, Signals& signals) {
  for (const std::string_view type : {"PodGroupScheduled", "PodGroupInitiallyScheduled"}) {
    const view::meta::Condition condition(kube::Condition(pod_group, type));
    if (condition.status() != "False") continue;
    signals.unschedulable_reason = Or(condition.reason(), "Unschedulable");
    signals.unschedulable_message = condition.message();
  }
  const view::meta::Condition disrupted(kube::Condition(pod_group, "DisruptionTarget"));
  if (disrupted.status() == "True") {
    signals.disruption_reason = Or(disrupted.reason(), "PreemptionByScheduler");
  }
}

// Without a group object, only the pods' own conditions are available.
void ReadPods(std::span<const Value> pods, Signals& signals) {
  for (const Value& pod : pods) {
    const view::core::PodCondition condition(kube::Condition(pod, api::conditions::kPodScheduled));
    if (condition.status() != "False") continue;
    const std::string_view reason = condition.reason();
    if (reason.empty() || reason == "SchedulingGated") continue;
    signals.unschedulable_reason = reason;
    signals.unschedulable_message = condition.message();
    return;
  }
}

}  // namespace

bool WorkloadBackend::Matches(std::string_view scheduler_name) const {
  return scheduler_name.empty() || scheduler_name == kSchedulerName;
}

std::string WorkloadBackend::PodSchedulerName(std::string_view scheduler_name) const {
  // A profile may have the backend's name.
  const bool unnamed =
      scheduler_name.empty() || scheduler_name == "default" || scheduler_name == "workload";
  return std::string(unnamed ? kSchedulerName : scheduler_name);
}

std::string WorkloadBackend::SchedulingGate() const { return std::string(api::gates::kWorkload); }

std::optional<std::vector<Option>> WorkloadBackend::Options() const {
  return std::vector<Option>{
      {"apiVersion"},
      {"gangMode", Option::Type::kText, {"Auto", "Fused", "Split", "Composite"}},
      {"gangScheduling", Option::Type::kBool}};
}

std::vector<ResourceUse> WorkloadBackend::Resources() const {
  static const std::vector<ResourceUse> uses = GangApiUses();
  return uses;
}

bool WorkloadBackend::WritesGangs(const GangInput& input) const {
  return input.profile.Config().gangScheduling(input.policy->SchedulesGangsByDefault());
}

Translation WorkloadBackend::Translate(const GangInput& input) const {
  if (!WritesGangs(input)) {
    if (!input.policy->ReportsPlainScheduling()) return {};
    return {.refusal = {},
            .objects = {},
            .outcomes = {{Outcome::Kind::kDropped, "spec.podgroups", "",
                          "pods are scheduled one by one (gangScheduling: false)"}}};
  }
  const Plan plan = MakePlan(input);
  Translation translation{
      .refusal = plan.refusal, .objects = {}, .outcomes = plan.topology.outcomes};
  if (!plan.refusal) translation.objects = Objects(input, plan);
  return translation;
}

base::Status WorkloadBackend::MarkPod(const GangInput& input, const PodSlot& slot,
                                      Value& pod) const {
  if (!WritesGangs(input)) return {};
  COPPICE_ASSIGN(const PodGroupInfo* role, FindGroup(input, slot));
  const Plan plan = MakePlan(input);
  if (plan.api.shape == ApiShape::kNone) {
    return base::Unavailable(plan.refusal->message);
  }
  const edit::core::PodSpec spec = edit::core::Pod(pod).spec();
  AddPodAffinity(input.gang, plan.topology, slot.group, spec.Json());
  const Group* group = plan.GroupOf(slot.group);
  if (group == nullptr) return {};
  const bool surplus = plan.mode == Mode::kFused && IsSurplus(*role, slot.index);
  if (plan.api.shape == ApiShape::k135) {
    SetWorkloadRef(plan, Objects135(input, plan), *group, surplus, spec.workloadRef());
  } else if (!surplus) {
    spec.schedulingGroup().set_podGroupName(group->name);
  }
  return {};
}

ReleaseRule WorkloadBackend::Release(const GangInput& input) const {
  if (!WritesGangs(input)) return {};
  return {.hold_surplus = MakePlan(input).mode == Mode::kFused};
}

Signals WorkloadBackend::ReadSignals(const GangInput&, std::span<const Value> objects,
                                     std::span<const Value> pods) const {
  Signals signals;
  bool has_group_objects = false;
  for (const Value& object : objects) {
    if (kube::Kind(object) != "PodGroup") continue;
    has_group_objects = true;
    ReadPodGroup(object, signals);
  }
  if (!has_group_objects) ReadPods(pods, signals);
  return signals;
}

base::Result<std::unique_ptr<SchedulerBackend>> Make(const Profile&) {
  return std::unique_ptr<SchedulerBackend>(std::make_unique<WorkloadBackend>());
}

}  // namespace coppice::backends::workload
