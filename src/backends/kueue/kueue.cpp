#include "backends/kueue/kueue.h"

#include <fmt/format.h>

#include "api/edit/core.h"
#include "api/edit/kueue.h"
#include "api/foreign/names.h"
#include "api/grove/pod_gang.h"
#include "api/key/kueue.h"
#include "api/view/kueue.h"
#include "api/well_known.h"
#include "backends/framework/pods.h"
#include "backends/framework/queue.h"
#include "backends/kueue/surplus.h"
#include "backends/kueue/workload.h"
#include "backends/model/gang_condition.h"
#include "backends/model/labels.h"
#include "backends/model/names.h"
#include "kube/object.h"

namespace coppice::backends::kueue {
namespace {

using json::Value;

// A released gang keeps its size.
int64_t CorePods(const GangInput& input) {
  int64_t pods = 0;
  for (const PodGroupInfo& group : input.gang.pod_groups) pods += group.LastMinimum();
  return pods;
}

base::Status AddWorkload(const GangInput& input, const std::string& name, const Counts& counts,
                         bool editable, Translation& translation) {
  COPPICE_ASSIGN(Value object, MakeWorkload(input, name, counts));
  DesiredObject desired{.resource = Workloads(Version(input)), .object = std::move(object)};
  if (!editable) {
    desired.immutable = {
        {std::string(key::kueue::Workload::spec), std::string(key::kueue::WorkloadSpec::podSets)}};
    desired.referenced_by = [](const Value&) { return true; };
  }
  translation.objects.push_back(std::move(desired));
  return {};
}

base::Status AddAll(const GangInput& input, Translation& translation) {
  COPPICE_TRY(AddWorkload(input, WorkloadName(input), CoreCounts(input), false, translation));
  if (!StatusHas(input.status, api::grove::kGangScheduled)) return {};
  for (const SurplusWorkload& part : PlanSurplus(input)) {
    COPPICE_TRY(AddWorkload(input, part.name, part.counts, part.open, translation));
  }
  return {};
}

// Also the name of the Workload that Kueue creates for the group.
std::string PodGroupName(const GangInput& input) { return ShortLabel(input.gang.name); }

// Pods beyond the minimum request quota one by one, because a group is only admitted when it is
// complete.
void JoinPodGroup(const GangInput& input, const PodGroupInfo& group, const PodSlot& slot,
                  Value& pod) {
  SetLabel(pod, kQueueLabel, Queue(input).queue);
  if (IsSurplus(group, slot.index)) return;
  SetLabel(pod, api::foreign::kKueuePodGroupName, PodGroupName(input));
  SetAnnotation(pod, api::foreign::kKueuePodGroupTotalCount, std::to_string(CorePods(input)));
  SetAnnotation(pod, api::foreign::kKueueRoleHash, ShortLabel(slot.group));
}

void AddSignalsOf(const Value& workload, Signals& signals) {
  const view::meta::Condition quota(kube::Condition(workload, kQuotaReserved));
  if (quota.status() == "False") {
    signals.unschedulable_reason = Or(quota.reason(), "WaitingForQuota");
    signals.unschedulable_message = quota.message();
  }
  for (const std::string_view type : {kEvicted, kPreempted}) {
    const view::meta::Condition condition(kube::Condition(workload, type));
    if (condition.status() != "True") continue;
    signals.disruption_reason = Or(condition.reason(), type);
    signals.message = condition.message();
  }
}

}  // namespace

api::Resource Workloads(const std::string& version) {
  return {kGroup, version, "workloads", "Workload", true};
}

std::vector<ResourceUse> Resources() {
  return {{.resource = Workloads("v1beta2"), .write = true},
          {.resource = Workloads("v1beta1"), .write = true},
          {.resource = kResourceFlavors},
          {.resource = kTopologies, .topology = true}};
}

bool Applies(const GangInput& input) {
  if (!input.profile.KueueAdmission()) return false;
  const QueueAnswer answer = Queue(input);
  return !answer.queue.empty() || !answer.conflicting.empty();
}

void AddWorkloads(const GangInput& input, Translation& translation) {
  if (translation.refusal) return;
  if (const QueueAnswer queue = Queue(input); !queue.conflicting.empty()) {
    translation.refusal = Refusal{
        std::string(reasons::kQueueUnresolved), fmt::format("metadata.labels[{}]", kQueueLabel),
        fmt::format("conflicting queues: {}", fmt::join(queue.conflicting, ", "))};
    return;
  }
  if (Version(input).empty()) {
    translation.refusal = Refusal{std::string(reasons::kBackendUnavailable), "",
                                  "the cluster does not serve workloads.kueue.x-k8s.io"};
    return;
  }
  if (ByPodGroup(input)) return;
  translation.refusal = CheckTopology(input);
  if (translation.refusal) return;
  if (const base::Status added = AddAll(input, translation); !added) {
    translation.refusal =
        Refusal{std::string(reasons::kCapabilityMissing), "spec", added.error().message()};
  }
}

DesiredObject TranslateTopology(const Value& binding) {
  Value object = kube::NewObject(kTopologies, "", kube::Name(binding));
  const edit::kueue::TopologySpec spec = edit::kueue::Topology(object).spec();
  spec.set_levels(Value::Array());
  for (const TopologyLevel& level : LevelsFromBinding(binding).levels) {
    spec.add_levels().set_nodeLabel(level.key);
  }
  return {.resource = kTopologies,
          .object = std::move(object),
          .immutable = {{std::string(key::kueue::Topology::spec),
                         std::string(key::kueue::TopologySpec::levels)}}};
}

void MarkPod(const GangInput& input, const PodSlot& slot, Value& pod) {
  const PodGroupInfo* group = input.gang.FindGroup(slot.group);
  if (group == nullptr) return;
  if (ByPodGroup(input)) return JoinPodGroup(input, *group, slot, pod);
  if (IsSurplus(*group, slot.index)) return;
  const Value asked = TopologyRequest(input, *group);
  const view::kueue::PodSetTopologyRequest request(asked);
  if (!request || request.has_unconstrained()) return;
  SetLabel(pod, api::foreign::kKueuePodSet, ShortLabel(slot.group));
  SetAnnotation(pod, api::foreign::kKueueWorkload, WorkloadName(input));
  const bool required = request.has_required();
  SetAnnotation(
      pod, required ? api::foreign::kKueueRequiredTopology : api::foreign::kKueuePreferredTopology,
      required ? request.required() : request.preferred());
  edit::core::Pod(pod).spec().add_schedulingGates().set_name(kTopologyGate);
}

// Pods beyond the minimum may lose their quota and wait for it while the gang runs.
void AddSignals(const GangInput& input, std::span<const Value> objects, Signals& signals) {
  for (const Value& object : objects) {
    const bool core = IsWorkload(object) && kube::Name(object) == WorkloadName(input);
    if (core) AddSignalsOf(object, signals);
  }
  if (!ByPodGroup(input)) return;
  const auto workload =
      input.cluster->Get(Workloads(Version(input)), {input.gang.ns, PodGroupName(input)});
  if (workload) AddSignalsOf(*workload, signals);
}

}  // namespace coppice::backends::kueue
