#include "backends/yunikorn/yunikorn.h"

#include <fmt/format.h>

#include <charconv>

#include "api/conditions.h"
#include "api/view/core.h"
#include "backends/framework/events.h"
#include "backends/framework/pods.h"
#include "backends/framework/queue.h"
#include "backends/model/names.h"
#include "backends/model/requests.h"
#include "backends/yunikorn/application.h"
#include "kube/object.h"

namespace coppice::backends::yunikorn {
namespace {

using json::Value;

// Reasons of events about pods: the progress of the gang's reservation, and its failure.
constexpr std::string_view kGangScheduling = "GangScheduling";
constexpr std::string_view kGangFailed = "GangSchedulingFailed";
// The reason on pods whose placeholders were not placed in time.
constexpr std::string_view kReservationTimeout = "ResourceReservationTimeout";

// The definition that is in force: that of a live pod of the application, if there is one.
std::optional<Value> PodInForce(const GangInput& input) {
  if (!input.cluster) return std::nullopt;
  const std::string application = AppId(input);
  for (const Value& pod : input.cluster->GangPods(input.gang.ns, input.gang.name)) {
    if (IsLive(pod) && kube::Label(pod, kAppId) == application) return pod;
  }
  return std::nullopt;
}

// YuniKorn's placeholders for the gang's pods. It tries to place these, and reports on them why it
// cannot.
std::vector<Value> Placeholders(const GangInput& input) {
  if (!input.cluster || input.gang.uid.empty()) return {};
  std::vector<Value> pods = input.cluster->ApplicationPods(input.gang.ns, AppId(input));
  std::erase_if(pods, [](const Value& pod) { return !kube::Label(pod, labels::kPodGang).empty(); });
  return pods;
}

// A gang may have pods of another scheduler, which is reported as SchedulerMismatch.
bool IsOurs(const SchedulerBackend& backend, const GangInput& input, const Value& pod) {
  return Serves(backend, input.profile, view::core::Pod(pod).spec().schedulerName());
}

bool TimedOut(const Value& pod) {
  const view::core::PodStatus status = view::core::Pod(pod).status();
  return status.phase() == "Failed" && status.reason() == kReservationTimeout;
}

std::string NextAttempt(const GangInput& input) {
  const std::string_view text = input.gang.annotations[kAttempt].AsString("0");
  int64_t attempt = 0;
  std::from_chars(text.data(), text.data() + text.size(), attempt);
  return std::to_string(attempt + 1);
}

QueueAnswer Queue(const GangInput& input) { return ResolveQueue(input, {{true, kQueue}}); }

// Why YuniKorn would reject the requests of a group's pods; "" if it would not.
std::string RequestProblem(const PodGroupInfo& group) {
  if (!group.pod_spec.IsObject()) {
    return "the pod template of the group is unknown, and with it what placeholders need";
  }
  const ResourceList requests = EffectiveRequests(group.pod_spec);
  if (requests.contains("pods")) return "YuniKorn counts pods itself: do not request \"pods\"";
  if (requests.contains("cpu") && requests.contains("vcore")) {
    return "\"vcore\" is YuniKorn's name for \"cpu\": request one of them";
  }
  return {};
}

std::optional<Refusal> CheckTemplates(const GangInput& input) {
  for (const PodGroupInfo& group : input.gang.pod_groups) {
    if (group.LastMinimum() == 0) continue;
    std::string problem = RequestProblem(group);
    if (problem.empty()) continue;
    return Refusal{std::string(reasons::kInvalidGang),
                   fmt::format("spec.podgroups[name={}]", group.name), std::move(problem)};
  }
  return std::nullopt;
}

// The text of an event with this reason about one of the gang's pods.
Signals EventSignals(const GangInput& input, std::span<const Value> pods, std::string_view reason) {
  Signals signals;
  for (const Value& pod : pods) {
    const Value event = NewestEvent(input, kube::Uid(pod), reason);
    if (event.IsNull()) continue;
    signals.unschedulable_reason = reason;
    signals.unschedulable_message = view::core::Event(event).message();
  }
  return signals;
}

}  // namespace

std::optional<std::vector<Option>> YuniKornBackend::Options() const {
  return std::vector<Option>{{"placeholderTimeoutSeconds", Option::Type::kNumber},
                             {"gangSchedulingStyle", Option::Type::kText, {"Hard", "Soft"}}};
}

std::vector<ResourceUse> YuniKornBackend::Resources() const {
  return {EventsOf(kGangScheduling), EventsOf(kGangFailed)};
}

bool YuniKornBackend::Matches(std::string_view scheduler_name) const {
  return scheduler_name == kSchedulerName;
}

std::string YuniKornBackend::PodSchedulerName(std::string_view) const {
  return std::string(kSchedulerName);
}

Translation YuniKornBackend::Translate(const GangInput& input) const {
  const QueueAnswer queue = Queue(input);
  if (!queue.conflicting.empty()) {
    return Translation::Refuse(
        reasons::kQueueUnresolved, fmt::format("metadata.labels[{}]", kQueue),
        fmt::format("conflicting queues: {}", fmt::join(queue.conflicting, ", ")));
  }
  const TopologyPlan plan = PlanFor(input);
  Translation translation{.refusal = plan.refusal, .objects = {}, .outcomes = plan.outcomes};
  if (input.gang.reuse_reservation) {
    translation.outcomes.push_back({Outcome::Kind::kDropped, "spec.reuseReservationRef",
                                    input.gang.reuse_reservation->name,
                                    "YuniKorn scores no preferences", /*quiet=*/true});
  }
  if (!translation.refusal) translation.refusal = CheckTemplates(input);
  if (translation.refusal || input.gang.uid.empty()) return translation;
  const auto pod = PodInForce(input);
  if (pod && kube::Annotation(*pod, kTaskGroups) != TaskGroups(input, plan)) {
    translation.refusal =
        Refusal{std::string(reasons::kUpdateBlocked), "spec.podgroups",
                "a live application cannot change; applied when the gang restarts as a whole"};
  }
  return translation;
}

base::Status YuniKornBackend::MarkPod(const GangInput& input, const PodSlot& slot,
                                      Value& pod) const {
  COPPICE_ASSIGN(const PodGroupInfo* group, FindGroup(input, slot));
  if (input.gang.uid.empty()) {
    return base::Unavailable(fmt::format(
        "PodGang {} does not exist yet; its uid is part of the application id", input.gang.name));
  }
  const TopologyPlan plan = PlanFor(input);
  AddPodAffinity(input.gang, plan, slot.group, SpecOf(pod), &AffinitySelector);
  const Value affinity_labels = AffinityLabels(input, plan, slot.group);
  for (const json::Member& label : affinity_labels.Members()) {
    SetLabel(pod, label.name(), label.value);
  }
  SetLabel(pod, kAppId, AppId(input));
  if (const QueueAnswer queue = Queue(input); !queue.queue.empty()) {
    SetLabel(pod, kQueue, queue.queue);
  }
  const auto in_force = PodInForce(input);
  SetAnnotation(
      pod, kTaskGroups,
      in_force ? Value(kube::Annotation(*in_force, kTaskGroups)) : Value(TaskGroups(input, plan)));
  SetAnnotation(pod, kPolicyParameters,
                in_force ? Value(kube::Annotation(*in_force, kPolicyParameters))
                         : Value(PolicyParameters(input)));
  if (group->LastMinimum() > 0 && !IsSurplus(*group, slot.index)) {
    SetAnnotation(pod, kTaskGroupName, Short(group->name, kLabelValueLimit));
  }
  return {};
}

Signals YuniKornBackend::ReadSignals(const GangInput& input, std::span<const Value>,
                                     std::span<const Value> pods) const {
  Signals signals = EventSignals(input, pods, kGangScheduling);
  std::vector<Value> all(pods.begin(), pods.end());
  for (Value& pod : Placeholders(input)) all.push_back(std::move(pod));
  for (const Value& pod : all) {
    const view::core::PodStatus status = view::core::Pod(pod).status();
    const std::string_view reason = status.reason();
    if (status.phase() == "Failed" &&
        (reason == kReservationTimeout || reason == "ApplicationRejected")) {
      signals.unschedulable_reason = reason;
      signals.unschedulable_message = status.message();
      return signals;
    }
    const view::core::PodCondition scheduled(kube::Condition(pod, api::conditions::kPodScheduled));
    if (scheduled.status() != "False") continue;
    if (scheduled.reason() == "SchedulingGated" || kube::IsDeleting(pod)) continue;
    signals.unschedulable_reason = Or(scheduled.reason(), "Unschedulable");
    signals.unschedulable_message = scheduled.message();
  }
  Signals failed = EventSignals(input, pods, kGangFailed);
  return failed.unschedulable_reason.empty() ? signals : failed;
}

Repair YuniKornBackend::MakeRepair(const GangInput& input, std::span<const Value>,
                                   std::span<const Value> pods) const {
  Repair repair;
  GangInput next = input;
  std::string application = AppId(input);
  for (const Value& pod : pods) {
    if (!IsOurs(*this, input, pod) || !TimedOut(pod)) continue;
    if (kube::Label(pod, kAppId) != application) continue;
    const std::string attempt = NextAttempt(input);
    repair.reason = kReservationTimeout;
    repair.gang_annotations.Set(kAttempt, attempt);
    next.gang.annotations.Set(kAttempt, attempt);
    application = AppId(next);
    break;
  }
  // A failed application is over, so the pods created for it must be recreated for the next one.
  for (const Value& pod : pods) {
    if (!IsOurs(*this, input, pod) || kube::IsDeleting(pod) || IsBound(pod)) continue;
    if (kube::Label(pod, kAppId) == application) continue;
    repair.reason = kReservationTimeout;
    repair.delete_pods.push_back(pod);
  }
  return repair;
}

base::Result<std::unique_ptr<SchedulerBackend>> Make(const Profile&) {
  return std::unique_ptr<SchedulerBackend>(std::make_unique<YuniKornBackend>());
}

}  // namespace coppice::backends::yunikorn
