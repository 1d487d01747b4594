#include "backends/gangs/translate.h"

#include <fmt/format.h>

#include <set>

#include "api/edit/core.h"
#include "api/view/core.h"
#include "backends/framework/gates.h"
#include "backends/framework/pods.h"
#include "backends/gangs/pod_reasons.h"
#include "backends/kueue/kueue.h"
#include "kube/object.h"

namespace coppice::backends {
namespace {

using json::Value;

std::optional<Refusal> CheckTree(const PodGangInfo& gang) {
  const base::Status sound = ValidateTree(gang);
  if (sound) return std::nullopt;
  const base::FieldCause& cause = sound.error().causes().front();
  return Refusal{std::string(reasons::kInvalidGang), cause.field, cause.message};
}

std::optional<Refusal> CheckPriority(const GangInput& input) {
  if (!input.policy->RequiresOnePriorityClass() || input.gang.priority_class_name.empty())
    return std::nullopt;
  for (const PodGroupInfo& group : input.gang.pod_groups) {
    const std::string_view own = view::core::PodSpec(group.pod_spec).priorityClassName();
    if (own.empty() || own == input.gang.priority_class_name) continue;
    return Refusal{std::string(reasons::kPriorityMismatch), "spec.priorityClassName",
                   fmt::format("the gang has priority class \"{}\", the pods of group {} have "
                               "\"{}\"; use one",
                               input.gang.priority_class_name, group.name, own)};
  }
  return std::nullopt;
}

// Used if the scheduler's own objects report nothing, or no cause.
void AddPodSignals(std::span<const Value> pods, Signals& signals) {
  if (!signals.unschedulable_reason.empty() && !signals.counts_only) return;
  const auto said = MainReason(pods);
  if (!said) return;
  if (signals.unschedulable_reason.empty()) {
    signals.unschedulable_reason = said->reason;
    signals.unschedulable_message = said->message;
  } else if (!said->message.empty()) {
    signals.unschedulable_message += "; " + said->message;
  }
}

// Objects with the same name would overwrite each other forever.
std::optional<Refusal> CheckNames(const Translation& translation) {
  std::set<std::pair<std::string, std::string_view>> seen;
  for (const DesiredObject& desired : translation.objects) {
    const std::string_view name = kube::Name(desired.object);
    const std::string kind = desired.resource.QualifiedName();
    if (name.empty()) {
      return Refusal{std::string(reasons::kInvalidGang), "metadata.name",
                     fmt::format("the backend gives {} no name", kind)};
    }
    if (seen.emplace(kind, name).second) continue;
    return Refusal{
        std::string(reasons::kInvalidGang), "metadata.name",
        fmt::format("the backend writes {} {} twice; each object needs its own name", kind, name)};
  }
  return std::nullopt;
}

}  // namespace

Translation TranslateGang(const SchedulerBackend& backend, const GangInput& input) {
  for (auto refusal : {CheckTree(input.gang), CheckPriority(input)}) {
    if (refusal) return {.refusal = std::move(refusal), .objects = {}, .outcomes = {}};
  }
  Translation translation = backend.Translate(input);
  if (kueue::Applies(input)) kueue::AddWorkloads(input, translation);
  if (translation.refusal) return translation;
  if (auto refusal = CheckNames(translation)) {
    return {.refusal = std::move(refusal), .objects = {}, .outcomes = {}};
  }
  return translation;
}

std::vector<ResourceUse> UsesOf(const SchedulerBackend& backend, const Profile& profile) {
  std::vector<ResourceUse> uses = backend.Resources();
  if (!profile.KueueAdmission()) return uses;
  for (ResourceUse& use : kueue::Resources()) uses.push_back(std::move(use));
  return uses;
}

Signals GangSignals(const SchedulerBackend& backend, const GangInput& input,
                    std::span<const Value> objects, std::span<const Value> pods) {
  Signals signals = backend.ReadSignals(input, objects, pods);
  if (kueue::Applies(input)) kueue::AddSignals(input, objects, signals);
  AddPodSignals(pods, signals);
  return signals;
}

Repair GangRepair(const SchedulerBackend& backend, const GangInput& input,
                  std::span<const Value> objects, std::span<const Value> pods,
                  const std::string& now) {
  Repair repair = backend.MakeRepair(input, objects, pods);
  if (kueue::Applies(input)) kueue::AddRepair(input, objects, pods, now, repair);
  return repair;
}

base::Status PrepareGangPod(const SchedulerBackend& backend, const GangInput& input,
                            const PodSlot& slot, Value& pod) {
  COPPICE_ASSIGN(const PodGroupInfo* group, FindGroup(input, slot));
  const edit::core::Pod edit(pod);
  edit.spec().set_schedulerName(
      SchedulerNameFor(backend, input.profile, view::core::Pod(pod).spec().schedulerName()));
  COPPICE_TRY(backend.MarkPod(input, slot, pod));
  const std::string gate = input.policy->SchedulingGate(backend.SchedulingGate());
  if (!HasGate(pod, gate)) edit.spec().add_schedulingGates().set_name(gate);
  if (!input.policy->AddsGangSettingsToPods()) return {};
  if (kueue::Applies(input)) kueue::MarkPod(input, slot, pod);
  if (!input.gang.priority_class_name.empty() &&
      !view::core::Pod(pod).spec().has_priorityClassName()) {
    edit.spec().set_priorityClassName(input.gang.priority_class_name);
  }
  if (backend.WeighsPreferences()) PreferFormerNodes(input, *group, edit.spec().Json());
  return {};
}

}  // namespace coppice::backends
