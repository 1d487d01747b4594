#include "backends/kueue/kueue.h"

#include <fmt/format.h>

#include "api/well_known.h"
#include "backends/kueue/workload.h"
#include "backends/labels.h"
#include "backends/names.h"
#include "backends/pods.h"
#include "backends/queue.h"
#include "kube/object.h"

namespace coppice::backends::kueue {
namespace {

using json::Value;

const api::Resource kResourceFlavors{"kueue.x-k8s.io", "v1beta2", "resourceflavors",
                                     "ResourceFlavor", false};

bool HasSurplus(const GangInput& input) {
  for (const PodGroupInfo& group : input.gang.pod_groups) {
    if (group.LastMinimum() > 0 && group.replicas > group.LastMinimum()) return true;
  }
  return false;
}

// A released gang is as large as it was.
int64_t CorePods(const GangInput& input) {
  int64_t pods = 0;
  for (const PodGroupInfo& group : input.gang.pod_groups) pods += group.LastMinimum();
  return pods;
}

bool IsScheduled(const GangInput& input) {
  return kube::ConditionIs(Value::Object({{"status", input.status}}), "Scheduled", "True");
}

bool IsOurs(const Value& object) {
  return object["apiVersion"].AsString().starts_with("kueue.x-k8s.io/");
}

base::Status AddWorkload(const GangInput& input, bool surplus, Translation& translation) {
  COPPICE_ASSIGN(Value object, MakeWorkload(input, surplus));
  translation.objects.push_back({.resource = Workloads(Version(input)),
                                 .object = std::move(object),
                                 .immutable = {{"spec", "podSets"}},
                                 .referenced_by = [](const Value&) { return true; }});
  return {};
}

bool ByPodGroup(const GangInput& input) {
  return input.profile.options["kueueMode"].AsString() == "PodGroup";
}

// Also the name of the Workload that Kueue makes for the group.
std::string PodGroupName(const GangInput& input) { return ShortLabel(input.gang.name); }

// Pods beyond the minimum ask for quota one by one: a group is admitted when it is complete.
void JoinPodGroup(const GangInput& input, const PodGroupInfo& group, const PodSlot& slot,
                  Value& pod) {
  SetLabel(pod, kQueueLabel, Queue(input).queue);
  if (IsSurplus(group, slot.index)) return;
  SetLabel(pod, "kueue.x-k8s.io/pod-group-name", PodGroupName(input));
  SetAnnotation(pod, "kueue.x-k8s.io/pod-group-total-count", std::to_string(CorePods(input)));
  SetAnnotation(pod, "kueue.x-k8s.io/role-hash", ShortLabel(slot.group));
}

// The admission of the PodSet that a group is.
const Value& AssignmentOf(const Value& workload, std::string_view group) {
  static const Value kNone;
  for (const Value& item : workload["status"]["admission"]["podSetAssignments"].Items()) {
    if (item["name"].AsString() == ShortLabel(group)) return item;
  }
  return kNone;
}

void AddSignalsOf(const Value& workload, Signals& signals) {
  const Value& quota = kube::Condition(workload, "QuotaReserved");
  if (quota["status"].AsString() == "False") {
    signals.unschedulable_reason = quota["reason"].ToString("WaitingForQuota");
    signals.unschedulable_message = quota["message"].ToString();
  }
  for (const std::string_view type : {"Evicted", "Preempted"}) {
    const Value& condition = kube::Condition(workload, type);
    if (condition["status"].AsString() != "True") continue;
    signals.disruption_reason = condition["reason"].ToString(type);
  }
}

void AddFlavor(const GangInput& input, const std::string& name, Admission& admission) {
  auto flavor = input.cluster->Get(kResourceFlavors, {"", name});
  if (!flavor) return;
  for (const json::Member& label : (*flavor)["spec"]["nodeLabels"].Members()) {
    admission.node_selector.Set(label.name(), label.value);
  }
  for (const Value& toleration : (*flavor)["spec"]["tolerations"].Items()) {
    bool known = false;
    for (const Value& present : admission.tolerations.Items()) known |= present == toleration;
    if (!known) admission.tolerations.Append(toleration);
  }
}

}  // namespace

api::Resource Workloads(const std::string& version) {
  return {"kueue.x-k8s.io", version, "workloads", "Workload", true};
}

std::vector<ResourceUse> Resources() {
  return {{.resource = Workloads("v1beta2"), .write = true},
          {.resource = Workloads("v1beta1"), .write = true},
          {.resource = kResourceFlavors},
          {.resource = kTopologies, .write = true}};
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
  base::Status added = AddWorkload(input, /*surplus=*/false, translation);
  if (added && HasSurplus(input) && IsScheduled(input)) {
    added = AddWorkload(input, /*surplus=*/true, translation);
  }
  if (!added) {
    translation.refusal =
        Refusal{std::string(reasons::kCapabilityMissing), "spec", added.error().message()};
  }
}

DesiredObject TranslateTopology(const Value& binding) {
  Value levels = Value::Array();
  for (const TopologyLevel& level : LevelsFromBinding(binding).levels) {
    levels.Append(Value::Object({{"nodeLabel", level.key}}));
  }
  Value object = kube::NewObject(kTopologies, "", kube::Name(binding));
  object.Set("spec", Value::Object({{"levels", std::move(levels)}}));
  return {.resource = kTopologies, .object = std::move(object), .immutable = {{"spec", "levels"}}};
}

void MarkPod(const GangInput& input, const PodSlot& slot, Value& pod) {
  const PodGroupInfo* group = input.gang.FindGroup(slot.group);
  if (group == nullptr) return;
  if (ByPodGroup(input)) return JoinPodGroup(input, *group, slot, pod);
  if (IsSurplus(*group, slot.index)) return;
  const Value request = TopologyRequest(input, *group);
  if (request.IsNull() || request.Has("unconstrained")) return;
  SetLabel(pod, "kueue.x-k8s.io/podset", ShortLabel(slot.group));
  SetAnnotation(pod, "kueue.x-k8s.io/workload", WorkloadName(input, false));
  const bool required = request.Has("required");
  SetAnnotation(pod,
                required ? "kueue.x-k8s.io/podset-required-topology"
                         : "kueue.x-k8s.io/podset-preferred-topology",
                request[required ? "required" : "preferred"]);
  pod.Mutable("spec").Mutable("schedulingGates").Append(Value::Object({{"name", kTopologyGate}}));
}

Admission CheckAdmission(const GangInput& input, std::string_view group, bool surplus) {
  Admission admission;
  if (ByPodGroup(input)) {
    admission.admitted = true;  // Kueue's own gate holds the pod.
    return admission;
  }
  const auto workload =
      input.cluster->Get(Workloads(Version(input)), {input.gang.ns, WorkloadName(input, surplus)});
  if (!workload || !kube::ConditionIs(*workload, "Admitted", "True")) return admission;
  admission.admitted = true;
  for (const json::Member& flavor : AssignmentOf(*workload, group)["flavors"].Members()) {
    AddFlavor(input, flavor.value.ToString(), admission);
  }
  return admission;
}

void AddSignals(const GangInput& input, std::span<const Value> objects, Signals& signals) {
  for (const Value& object : objects) {
    if (IsOurs(object)) AddSignalsOf(object, signals);
  }
  if (!ByPodGroup(input)) return;
  const auto workload =
      input.cluster->Get(Workloads(Version(input)), {input.gang.ns, PodGroupName(input)});
  if (workload) AddSignalsOf(*workload, signals);
}

void AddRepair(const GangInput& input, std::span<const Value> objects, std::span<const Value> pods,
               const std::string& now, Repair& repair) {
  const bool ready = kube::ConditionIs(Value::Object({{"status", input.status}}), "Ready", "True");
  for (const Value& object : objects) {
    if (!IsOurs(object)) continue;
    const bool admitted = kube::ConditionIs(object, "Admitted", "True");
    if (kube::ConditionIs(object, "Evicted", "True") && !admitted) {
      for (const Value& pod : pods) {
        // Pods that still wait for admission are what re-admission will release.
        const bool waiting = !pod["spec"]["schedulingGates"].empty();
        if (!kube::IsDeleting(pod) && !waiting) repair.delete_pods.push_back(pod);
      }
      if (!repair.delete_pods.empty()) repair.reason = "EvictedByKueue";
    }
    const bool told = kube::ConditionIs(object, "PodsReady", "True");
    if (!admitted || told == ready) continue;
    Value conditions = Value::Array();
    for (const Value& condition : object["status"]["conditions"].Items()) {
      if (condition["type"].AsString() != "PodsReady") conditions.Append(condition);
    }
    conditions.Append(Value::Object({{"type", "PodsReady"},
                                     {"status", ready ? "True" : "False"},
                                     {"reason", ready ? "PodGangReady" : "PodsNotReady"},
                                     {"message", ""},
                                     {"lastTransitionTime", now}}));
    repair.reports.push_back({Workloads(Version(input)), kube::KeyOf(object),
                              Value::Object({{"conditions", std::move(conditions)}})});
  }
}

}  // namespace coppice::backends::kueue
