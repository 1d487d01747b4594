#include "backends/koordinator/koordinator.h"

#include <fmt/format.h>

#include "api/edit/coscheduling.h"
#include "api/edit/koordinator.h"
#include "api/foreign/names.h"
#include "api/gates.h"
#include "api/key/meta.h"
#include "api/labels.h"
#include "api/view/coscheduling.h"
#include "api/view/koordinator.h"
#include "backends/framework/pods.h"
#include "backends/framework/queue.h"
#include "backends/koordinator/gang_group.h"
#include "backends/koordinator/reservation.h"
#include "backends/model/labels.h"
#include "kube/object.h"

namespace coppice::backends::koordinator {
namespace {

using json::Value;

const std::string kPrefix(api::foreign::kKoordinatorGangPrefix);

std::vector<QueueKey> QuotaKeys() {
  return {{true, kQuotaLabel}, {false, api::labels::kKoordinatorQuota}};
}

DesiredObject PodGroupObject(const GangInput& input, const GangGroup& group, const Member& member,
                             const api::Resource& resource) {
  Value object = kube::NewObject(resource, input.gang.ns, member.name);
  for (const json::Member& annotation : group.annotations.Members()) {
    SetAnnotation(object, annotation.name(), annotation.value);
  }
  if (member.total != member.minimum) {
    SetAnnotation(object, kPrefix + "total-number", std::to_string(member.total));
  }
  edit::coscheduling::PodGroup(object)
      .spec()
      .set_minMember(member.minimum)
      .set_scheduleTimeoutSeconds(TimeoutSeconds(input));
  // Koordinator only partly applies a changed list to a gang that it already knows.
  return {.resource = resource,
          .object = std::move(object),
          .immutable = {{std::string(key::meta::PartialObjectMetadata::metadata),
                         std::string(key::meta::ObjectMeta::annotations), kPrefix + "groups"}}};
}

DesiredObject Mirror(DesiredObject original) {
  original.resource = kAliasPodGroups;
  edit::coscheduling::PodGroup(original.object).set_apiVersion(kAliasPodGroups.ApiVersion());
  SetLabel(original.object, labels::kMirrorOf, kPodGroups.group + "." + kPodGroups.plural);
  original.mirror = true;
  return original;
}

void AddPodGroups(const GangInput& input, const GangGroup& group, Translation& translation) {
  const bool real = input.capabilities->Serves(kPodGroups);
  const bool alias = input.capabilities->Serves(kAliasPodGroups);
  const bool mirror = real && alias && input.profile.Config().mirrorAlias(true);
  if (!real && alias) {
    translation.outcomes.push_back({Outcome::Kind::kApproximated, "spec.podgroups", "",
                                    "AliasOnly: scheduling.koordinator.sh podgroups are served, "
                                    "but no Koordinator reads them"});
  }
  for (const Member& member : group.members) {
    if (!real && !alias) return;  // The pods define the gang.
    translation.objects.push_back(
        PodGroupObject(input, group, member, real ? kPodGroups : kAliasPodGroups));
    if (mirror) translation.objects.push_back(Mirror(translation.objects.back()));
  }
}

// Without the PodGroup kind, the gang is defined on its pods.
void MarkWithoutCrd(const GangInput& input, const GangGroup& group, const Member& member,
                    Value& pod) {
  for (const json::Member& annotation : group.annotations.Members()) {
    SetAnnotation(pod, annotation.name(), annotation.value);
  }
  SetAnnotation(pod, kPrefix + "name", member.name);
  SetAnnotation(pod, kPrefix + "min-available", std::to_string(member.minimum));
  SetAnnotation(pod, kPrefix + "total-number", std::to_string(member.total));
  SetAnnotation(pod, kPrefix + "waiting-time", fmt::format("{}s", TimeoutSeconds(input)));
}

std::string Counters(view::coscheduling::PodGroup group) {
  return fmt::format("{}: {} scheduled, {} running of {}", group.metadata().name(),
                     group.status().scheduled(), group.status().running(),
                     group.spec().minMember());
}

// Koordinator's explanation of one of the gang's PodGroups, if someone requested it.
std::string Explanation(const GangInput& input) {
  if (!input.cluster) return {};
  for (const Value& object : input.cluster->List(kExplanations)) {
    const view::koordinator::ScheduleExplanation explanation(object);
    const std::string_view asked = explanation.spec().questionObjectKey();
    for (const PodGroupInfo& group : input.gang.pod_groups) {
      if (asked.find(fmt::format("{}/{}", input.gang.ns, group.name)) == std::string_view::npos) {
        continue;
      }
      const std::string_view message = explanation.status().failedMessage();
      if (!message.empty()) return std::string(message);
    }
  }
  return {};
}

}  // namespace

bool KoordinatorBackend::Matches(std::string_view scheduler_name) const {
  return scheduler_name.find("koord") != std::string_view::npos;
}

std::string KoordinatorBackend::PodSchedulerName(std::string_view scheduler_name) const {
  return std::string(scheduler_name.empty() || scheduler_name == "koordinator" ? kSchedulerName
                                                                               : scheduler_name);
}

std::string KoordinatorBackend::SchedulingGate() const {
  return std::string(api::gates::kKoordinatorGang);
}

std::optional<std::vector<Option>> KoordinatorBackend::Options() const {
  return std::vector<Option>{{"mode", Option::Type::kText, {"Strict", "NonStrict"}},
                             {"matchPolicy",
                              Option::Type::kText,
                              {"only-waiting", "waiting-and-running", "once-satisfied"}},
                             {"scheduleTimeoutSeconds", Option::Type::kNumber},
                             {"mirrorAlias", Option::Type::kBool},
                             {"reservations", Option::Type::kBool},
                             {"reservationTTL"}};
}

std::vector<ResourceUse> KoordinatorBackend::Resources() const {
  return {{.resource = kPodGroups, .write = true},
          {.resource = kAliasPodGroups, .write = true},
          {.resource = kNetworkTopologies, .topology = true},
          {.resource = kReservations, .write = true},
          {.resource = kExplanations}};
}

Translation KoordinatorBackend::Translate(const GangInput& input) const {
  const QueueAnswer quota = ResolveQueue(input, QuotaKeys());
  if (!quota.conflicting.empty()) {
    return Translation::Refuse(
        reasons::kQueueUnresolved, fmt::format("metadata.labels[{}]", kQuotaLabel),
        fmt::format("conflicting quotas: {}", fmt::join(quota.conflicting, ", ")));
  }
  const GangGroup group = MakeGangGroup(input);
  Translation translation;
  translation.outcomes = group.topology.outcomes;
  translation.refusal = group.refusal;
  if (translation.refusal) return translation;
  AddPodGroups(input, group, translation);
  for (DesiredObject& reservation : MakeReservations(input)) {
    translation.objects.push_back(std::move(reservation));
  }
  return translation;
}

base::Status KoordinatorBackend::MarkPod(const GangInput& input, const PodSlot& slot,
                                         Value& pod) const {
  COPPICE_ASSIGN(const PodGroupInfo* role, FindGroup(input, slot));
  PassLabels(input.gang,
             {api::foreign::kKoordinatorPreemptible, api::foreign::kKoordinatorDisablePreemptible,
              api::foreign::kKoordinatorPreemptionPolicy},
             pod);
  const QueueAnswer quota = ResolveQueue(input, QuotaKeys());
  if (!quota.queue.empty()) SetLabel(pod, kQuotaLabel, quota.queue);
  const GangGroup group = MakeGangGroup(input);
  AddPodAffinity(input.gang, group.topology, slot.group, SpecOf(pod));
  const Member* member = group.MemberOf(slot.group);
  if (member == nullptr) return {};
  if (group.core_only && IsSurplus(*role, slot.index)) return {};
  if (input.capabilities->Serves(kPodGroups) || input.capabilities->Serves(kAliasPodGroups)) {
    SetLabel(pod, kPodGroupLabel, member->name);
  } else {
    MarkWithoutCrd(input, group, *member, pod);
  }
  return {};
}

ReleaseRule KoordinatorBackend::Release(const GangInput& input) const {
  return {.hold_surplus = true, .pin_replacements = MakeGangGroup(input).has_network_topology};
}

Signals KoordinatorBackend::ReadSignals(const GangInput& input, std::span<const Value> objects,
                                        std::span<const Value> pods) const {
  Signals signals;
  for (const Value& object : objects) {
    const view::coscheduling::PodGroup group(object);
    const std::string_view phase = group.status().phase();
    if (group.kind() != kPodGroups.kind || phase.empty()) continue;
    if (phase == "Pending" || phase == "PreScheduling" || phase == "Scheduling") {
      signals.unschedulable_reason = "Unschedulable";
      signals.unschedulable_message = Counters(group);
      signals.counts_only = true;
    }
    if (phase == "Failed" && !HasMinima(input.gang, pods)) {
      signals.unhealthy_reason = "PodGroupFailed";
    }
  }
  if (signals.unschedulable_reason.empty()) return signals;
  if (std::string explained = Explanation(input); !explained.empty()) {
    signals.unschedulable_message = std::move(explained);
    signals.counts_only = false;
  }
  return signals;
}

std::vector<DesiredObject> KoordinatorBackend::TranslateTopology(const GangInput&,
                                                                 const Value& binding) const {
  Value object = kube::NewObject(kNetworkTopologies, "", "default");
  const auto spec = edit::koordinator::ClusterNetworkTopology(object).spec();
  spec.set_networkTopologySpec(Value::Array());
  std::string parent;
  for (const TopologyLevel& level : LevelsFromBinding(binding).levels) {
    const bool host = level.key == api::labels::kHostname;
    const std::string name = host ? std::string(kNodeLayer) : level.domain;
    const edit::koordinator::NetworkTopologyLayer layer = spec.add_networkTopologySpec();
    layer.set_topologyLayer(name);
    if (!host) layer.set_labelKey(Value::Array({level.key}));
    if (!parent.empty()) layer.set_parentTopologyLayer(parent);
    parent = name;
  }
  return {{.resource = kNetworkTopologies, .object = std::move(object)}};
}

std::vector<base::FieldCause> KoordinatorBackend::ValidateSet(const GangInput& input) const {
  const QueueAnswer quota = ResolveQueue(input, QuotaKeys());
  if (quota.conflicting.empty()) return {};
  return {{"FieldValueInvalid", "spec",
           fmt::format("conflicting Koordinator quotas on PodCliqueSet {}: [{}]", SetName(input),
                       fmt::join(quota.conflicting, " "))}};
}

base::Result<std::unique_ptr<SchedulerBackend>> Make(const Profile&) {
  return std::unique_ptr<SchedulerBackend>(std::make_unique<KoordinatorBackend>());
}

}  // namespace coppice::backends::koordinator
