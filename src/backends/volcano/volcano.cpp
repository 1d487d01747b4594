#include "backends/volcano/volcano.h"

#include <fmt/format.h>

#include "api/edit/volcano.h"
#include "api/foreign/names.h"
#include "api/key/volcano.h"
#include "api/view/volcano.h"
#include "api/well_known.h"
#include "backends/framework/pods.h"
#include "backends/model/labels.h"
#include "backends/model/names.h"
#include "backends/model/set_topology.h"
#include "backends/volcano/pod_group.h"
#include "backends/volcano/tiers.h"
#include "kube/object.h"

namespace coppice::backends::volcano {
namespace {

using json::Value;

base::Result<std::string> GroupName(const GangInput& input) {
  return ChooseName(input, kPodGroups, Short(input.gang.name, kObjectNameLimit), kGroupAnnotation);
}

bool NeedsPlugin(const TopologyPlan& plan) {
  for (const Scope& scope : plan.native) {
    if (!scope.wishes.required.empty()) return true;
  }
  return false;
}

Value PodGroupObject(const GangInput& input, const std::string& name, Value spec) {
  Value object = kube::NewObject(kPodGroups, input.gang.ns, name);
  if (input.policy->CopiesGangLabelsToVolcano()) {
    for (const json::Member& member : input.gang.labels.Members()) {
      SetLabel(object, member.name(), member.value);
    }
  } else {
    PassAnnotations(input.gang, {kPreemptable, api::foreign::kVolcanoSlaWaitingTime}, object);
  }
  edit::volcano::PodGroup(object).set_spec(std::move(spec));
  return object;
}

// The newer of two conditions that may exist side by side; an empty view if there is neither.
view::volcano::PodGroupCondition NewestCondition(view::volcano::PodGroupStatus status) {
  static const Value kNone;
  view::volcano::PodGroupCondition newest(kNone);
  for (const view::volcano::PodGroupCondition condition : status.conditions()) {
    if (condition.type() != "Unschedulable" && condition.type() != "Scheduled") continue;
    if (!newest || newest.lastTransitionTime() < condition.lastTransitionTime()) {
      newest = condition;
    }
  }
  return newest;
}

FieldPath InSpec(std::string_view field) {
  return {std::string(key::volcano::PodGroup::spec), std::string(field)};
}

}  // namespace

bool VolcanoBackend::Matches(std::string_view scheduler_name) const {
  return scheduler_name == kSchedulerName;
}

std::string VolcanoBackend::PodSchedulerName(std::string_view) const {
  return std::string(kSchedulerName);
}

std::optional<std::vector<Option>> VolcanoBackend::Options() const {
  return std::vector<Option>{{"networkTopologyAware", Option::Type::kBool}};
}

std::vector<ResourceUse> VolcanoBackend::Resources() const {
  return {{.resource = kPodGroups,
           .write = true,
           .fields = {kSubGroupField, kTopologyField, kTierNameField},
           .lacks = {{kSubGroupField, std::string(kCapabilityUnavailable),
                      "spec.subGroupPolicy is missing: this Volcano is older than 1.14. Minima of "
                      "roles are told as minTaskMember, and topology of roles is lost; under "
                      "compatibility: grove gangs wait for a newer one"}}},
          {.resource = kQueues},
          {.resource = kHyperNodes, .topology = true},
          {.resource = api::kConfigMaps,
           .documents = {{"volcano-system", "volcano-scheduler-configmap"}}}};
}

Translation VolcanoBackend::Translate(const GangInput& input) const {
  if (!input.capabilities->Serves(kPodGroups)) {
    return Translation::Refuse(
        reasons::kBackendUnavailable, "",
        "the cluster does not serve podgroups.scheduling.volcano.sh/v1beta1");
  }
  // Upstream's operator would not start. The pods that it created only have sub-group labels.
  if (input.policy->RequiresVolcanoSubGroups() && !HasSubGroups(input)) {
    return Translation::Refuse(
        kCapabilityUnavailable, "",
        "podgroups.scheduling.volcano.sh has no spec.subGroupPolicy; Volcano "
        "1.14 or newer has");
  }
  const auto queue = Queue(input);
  if (!queue) {
    return Translation::Refuse(reasons::kQueueUnresolved,
                               fmt::format("metadata.annotations[{}]", kQueueAnnotation),
                               queue.error().message());
  }
  const TopologyPlan plan = PlanFor(input);
  Translation translation{.refusal = plan.refusal, .objects = {}, .outcomes = plan.outcomes};
  if (!translation.refusal && NeedsPlugin(plan) && !HasTopologyPlugin(input)) {
    translation.refusal = Refusal{
        std::string(reasons::kCapabilityMissing), plan.native.front().path,
        "Volcano's configuration lacks the plugin network-topology-aware; without it a hard "
        "topology is ignored"};
  }
  if (translation.refusal) return translation;
  PodGroupSpec made = MakeSpec(input, plan, *queue);
  translation.refusal = made.refusal;
  for (Outcome& outcome : made.outcomes) translation.outcomes.push_back(std::move(outcome));
  const auto name = GroupName(input);
  if (!name) {
    return Translation::Refuse(reasons::kNameConflict, "metadata.name", name.error().message());
  }
  if (translation.refusal) return translation;
  using Key = key::volcano::PodGroupSpec;
  translation.objects.push_back({.resource = kPodGroups,
                                 .object = PodGroupObject(input, *name, std::move(made.spec)),
                                 .exclusive = {InSpec(Key::priorityClassName)}});
  // Volcano may replace the queue "default" with the namespace's own queue at creation.
  if (*queue == "default") translation.objects.back().create_only = {InSpec(Key::queue)};
  return translation;
}

base::Status VolcanoBackend::MarkPod(const GangInput& input, const PodSlot& slot,
                                     Value& pod) const {
  COPPICE_ASSIGN(const PodGroupInfo* group, FindGroup(input, slot));
  COPPICE_ASSIGN(const std::string name, GroupName(input));
  SetAnnotation(pod, kGroupAnnotation, name);
  SetAnnotation(pod, kVolcanoGroupAnnotation, name);
  if (!input.policy->MarksVolcanoTasks()) return {};
  SetAnnotation(pod, kTaskSpec, group->name);
  PassAnnotations(input.gang, {kPreemptable}, pod);
  AddPodAffinity(input.gang, PlanFor(input), slot.group, SpecOf(pod));
  return {};
}

Signals VolcanoBackend::ReadSignals(const GangInput&, std::span<const Value> objects,
                                    std::span<const Value>) const {
  Signals signals;
  if (objects.empty()) return signals;
  const view::volcano::PodGroupStatus status = view::volcano::PodGroup(objects.front()).status();
  const view::volcano::PodGroupCondition newest = NewestCondition(status);
  if (newest.type() == "Unschedulable" && newest.status() == "True") {
    signals.unschedulable_reason = Or(newest.reason(), "Unschedulable");
    signals.unschedulable_message = newest.message();
    signals.counts_only = true;
  }
  const std::string_view phase = status.phase();
  if (phase == "Unknown") signals.unhealthy_reason = "PartiallyScheduled";
  if (phase == "Inqueue") signals.message = "admitted to its queue, waiting for resources";
  return signals;
}

std::vector<DesiredObject> VolcanoBackend::TranslateTopology(const GangInput& input,
                                                             const Value& binding) const {
  return MakeHyperNodes(input, binding);
}

std::vector<base::FieldCause> VolcanoBackend::ValidateSet(const GangInput& input) const {
  if (input.policy->RefusesUnsupportedTopology()) {
    const auto refused = RefuseAnyTopology(input.set, "volcano");
    if (!refused.empty()) return refused;
  }
  const auto queue = Queue(input);
  if (queue) return {};
  return {{"FieldValueInvalid", "spec", queue.error().message()}};
}

base::Result<std::unique_ptr<SchedulerBackend>> Make(const Profile&) {
  return std::unique_ptr<SchedulerBackend>(std::make_unique<VolcanoBackend>());
}

}  // namespace coppice::backends::volcano
