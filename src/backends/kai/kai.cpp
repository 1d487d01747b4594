#include "backends/kai/kai.h"

#include <fmt/format.h>

#include "api/edit/kai.h"
#include "api/key/kai.h"
#include "api/key/meta.h"
#include "api/view/core.h"
#include "api/view/kai.h"
#include "api/well_known.h"
#include "backends/framework/events.h"
#include "backends/framework/ladder.h"
#include "backends/framework/pods.h"
#include "backends/kai/pod_group.h"
#include "backends/model/labels.h"
#include "kube/object.h"

namespace coppice::backends::kai {
namespace {

using json::Value;

constexpr std::string_view kNotReady = "NotReady";  // The reason of events about PodGroups.

std::optional<Refusal> CheckTopology(const GangInput& input, const TopologyPlan& plan) {
  if (plan.native.empty()) return std::nullopt;
  const std::string path = fmt::format("metadata.annotations[{}]", labels::kTopologyName);
  if (TopologyName(input).empty()) {
    return Refusal{std::string(reasons::kTopologyUnresolved), path,
                   "the gang has topology constraints but names no topology"};
  }
  if (input.topology.empty() || !input.policy->ResolvesTopologyKeys()) return std::nullopt;
  for (const Scope& scope : plan.native) {
    for (const std::string& key : {scope.wishes.required, scope.wishes.preferred}) {
      if (key.empty() || input.topology.IndexOf(key)) continue;
      return Refusal{
          std::string(reasons::kTopologyUnresolved), scope.path,
          fmt::format("\"{}\" is no level of topology \"{}\"", key, input.topology.name)};
    }
  }
  return std::nullopt;
}

Value PodGroupObject(const GangInput& input, const std::string& name, Value spec) {
  Value object = kube::NewObject(api::kPodGroups, input.gang.ns, name);
  for (const json::Member& member : input.gang.labels.Members()) {
    SetLabel(object, member.name(), member.value);
  }
  for (const json::Member& member : input.gang.annotations.Members()) {
    if (member.name() != labels::kLastApplied) SetAnnotation(object, member.name(), member.value);
  }
  SetAnnotation(object, kSkipGrouper, "true");
  edit::kai::PodGroup(object).set_spec(std::move(spec));
  return object;
}

FieldPath InSpec(std::string_view field) {
  return {std::string(key::kai::PodGroup::spec), std::string(field)};
}

FieldPath InLabels(std::string_view label) {
  return {std::string(key::kai::PodGroup::metadata), std::string(key::meta::ObjectMeta::labels),
          std::string(label)};
}

std::vector<FieldPath> OwnedByKai() {
  using Key = key::kai::PodGroupSpec;
  return {InSpec(Key::queue), InSpec(Key::markUnschedulable), InSpec(Key::schedulingBackoff),
          InLabels(kQueueKey), InLabels(kNodePoolLabel)};
}

// The newest negative scheduling condition; an empty view if there is none.
view::kai::SchedulingCondition NewestRefusal(view::kai::PodGroup pod_group) {
  static const Value kNone;
  view::kai::SchedulingCondition newest(kNone);
  for (const auto condition : pod_group.status().schedulingConditions()) {
    if (condition.type() != "UnschedulableOnNodePool" || condition.status() != "True") continue;
    if (newest.lastTransitionTime() <= condition.lastTransitionTime()) newest = condition;
  }
  return newest;
}

}  // namespace

bool KaiBackend::Matches(std::string_view scheduler_name) const {
  return scheduler_name == kSchedulerName;
}

std::string KaiBackend::PodSchedulerName(std::string_view) const {
  return std::string(kSchedulerName);
}

std::vector<ResourceUse> KaiBackend::Resources() const {
  return {{.resource = api::kPodGroups,
           .write = true,
           .fields = {"spec.minSubGroup", "spec.preemptibility", "spec.preemptionDelay",
                      "spec.stalenessGracePeriod"}},
          {.resource = api::kTopologies, .topology = true},
          EventsOf(kNotReady)};
}

Value KaiBackend::GangAnnotations() const { return Value::Object({{kSkipGrouper, "true"}}); }

Translation KaiBackend::Translate(const GangInput& input) const {
  if (!input.capabilities->Serves(api::kPodGroups)) {
    return Translation::Refuse(reasons::kBackendUnavailable, "",
                               "the cluster does not serve podgroups.scheduling.run.ai/v2alpha2");
  }
  const auto queue = Queue(input);
  if (!queue) {
    return Translation::Refuse(reasons::kQueueUnresolved, "metadata.labels[kai.scheduler/queue]",
                               queue.error().message());
  }
  const TopologyPlan plan = PlanTopology(
      input, {.expressiveness = [](const Scope&, bool) { return Expressiveness::kNative; }});
  Translation translation;
  translation.outcomes = plan.outcomes;
  translation.refusal = plan.refusal ? plan.refusal : CheckTopology(input, plan);
  if (translation.refusal) return translation;
  const auto name = PodGroupName(input);
  if (!name) {
    return Translation::Refuse(reasons::kNameConflict, "metadata.name", name.error().message());
  }
  using Key = key::kai::PodGroupSpec;
  translation.objects.push_back(
      {.resource = api::kPodGroups,
       .object = PodGroupObject(input, *name, PodGroupSpec(input, plan, *queue)),
       .create_only = OwnedByKai(),
       .exclusive = {InSpec(Key::priorityClassName), InSpec(Key::topologyConstraint),
                     InSpec(Key::subGroups)}});
  return translation;
}

base::Status KaiBackend::MarkPod(const GangInput& input, const PodSlot& slot, Value& pod) const {
  COPPICE_ASSIGN(const PodGroupInfo* group, FindGroup(input, slot));
  if (input.gang.uid.empty() && input.policy->PodGroupNamesHaveUid()) {
    return base::Unavailable(
        fmt::format("PodGang {} does not exist yet; its uid names the PodGroup", input.gang.name));
  }
  COPPICE_ASSIGN(const std::string name, PodGroupName(input));
  SetAnnotation(pod, kSkipGrouper, "true");
  SetAnnotation(pod, kPodGroupName, name);
  SetLabel(pod, kSubGroupLabel, SubGroupName(input, group->name));
  return {};
}

Signals KaiBackend::ReadSignals(const GangInput& input, std::span<const Value> objects,
                                std::span<const Value>) const {
  Signals signals;
  if (objects.empty()) return signals;
  const Value& pod_group = objects.front();
  if (const auto refusal = NewestRefusal(view::kai::PodGroup(pod_group))) {
    const view::kai::UnschedulableExplanation first = refusal.reasons().At(0);
    signals.unschedulable_reason = Or(first.reason(), "Unschedulable");
    signals.unschedulable_message = Or(first.message(), refusal.message());
  }
  if (!kube::Annotation(pod_group, kStaleSince).empty()) signals.unhealthy_reason = "StaleGang";
  const Value event = NewestEvent(input, kube::Uid(pod_group), kNotReady);
  signals.message = view::core::Event(event).message();
  return signals;
}

std::vector<DesiredObject> KaiBackend::TranslateTopology(const GangInput&,
                                                         const Value& binding) const {
  Value object = kube::NewObject(api::kTopologies, "", kube::Name(binding));
  const edit::kai::TopologySpec spec = edit::kai::Topology(object).spec();
  spec.set_levels(Value::Array());
  for (const TopologyLevel& level : LevelsFromBinding(binding).levels) {
    spec.add_levels().set_nodeLabel(level.key);
  }
  return {{.resource = api::kTopologies,
           .object = std::move(object),
           .immutable = {InSpec(key::kai::TopologySpec::levels)}}};
}

std::vector<base::FieldCause> KaiBackend::ValidateSet(const GangInput& input) const {
  const auto queue = Queue(input);
  if (queue) return {};
  return {{"FieldValueInvalid", "spec", queue.error().message()}};
}

base::Result<std::unique_ptr<SchedulerBackend>> Make(const Profile&) {
  return std::unique_ptr<SchedulerBackend>(std::make_unique<KaiBackend>());
}

}  // namespace coppice::backends::kai
