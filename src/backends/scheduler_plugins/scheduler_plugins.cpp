#include "backends/scheduler_plugins/scheduler_plugins.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/edit/coscheduling.h"
#include "api/view/coscheduling.h"
#include "backends/framework/ladder.h"
#include "backends/framework/pods.h"
#include "backends/model/names.h"
#include "backends/model/requests.h"
#include "kube/object.h"

namespace coppice::backends::scheduler_plugins {
namespace {

using json::Value;

constexpr int64_t kDefaultTimeoutSeconds = 60;

TopologyPlan PlanFor(const GangInput& input) {
  return PlanTopology(input,
                      {.expressiveness = [](const Scope&, bool) { return Expressiveness::kNone; }});
}

// The gang with released minimums kept: this scheduler never releases a gang.
PodGangInfo WithLastMinima(PodGangInfo gang) {
  for (PodGroupInfo& group : gang.pod_groups) group.min_replicas = group.LastMinimum();
  return gang;
}

base::Result<std::string> GroupName(const GangInput& input) {
  return ChooseName(input, kPodGroups, Short(input.gang.name, kLabelValueLimit), kPodGroupLabel);
}

}  // namespace

bool SchedulerPluginsBackend::Matches(std::string_view scheduler_name) const {
  return scheduler_name == kSchedulerName;
}

std::string SchedulerPluginsBackend::PodSchedulerName(std::string_view) const {
  return std::string(kSchedulerName);
}

std::optional<std::vector<Option>> SchedulerPluginsBackend::Options() const {
  return std::vector<Option>{{"scheduleTimeoutSeconds", Option::Type::kNumber}};
}

std::vector<ResourceUse> SchedulerPluginsBackend::Resources() const {
  return {{.resource = kPodGroups, .write = true}};
}

Translation SchedulerPluginsBackend::Translate(const GangInput& input) const {
  if (!input.capabilities->Serves(kPodGroups)) {
    return Translation::Refuse(reasons::kBackendUnavailable, "",
                               "the cluster does not serve podgroups.scheduling.x-k8s.io/v1alpha1");
  }
  const TopologyPlan plan = PlanFor(input);
  Translation translation{.refusal = plan.refusal, .objects = {}, .outcomes = plan.outcomes};
  const PodGangInfo gang = WithLastMinima(input.gang);
  if (plan.refusal || gang.TotalMinReplicas() == 0) return translation;
  const auto name = GroupName(input);
  if (!name) {
    return Translation::Refuse(reasons::kNameConflict, "metadata.name", name.error().message());
  }
  Value object = kube::NewObject(kPodGroups, gang.ns, *name);
  const edit::coscheduling::PodGroupSpec spec = edit::coscheduling::PodGroup(object).spec();
  spec.set_minMember(gang.TotalMinReplicas())
      .set_scheduleTimeoutSeconds(
          input.profile.Config().scheduleTimeoutSeconds(kDefaultTimeoutSeconds));
  if (const auto resources = MinResources(gang); resources && !resources->empty()) {
    spec.set_minResources(ToJson(*resources));
  }
  translation.objects.push_back({.resource = kPodGroups, .object = std::move(object)});
  return translation;
}

base::Status SchedulerPluginsBackend::MarkPod(const GangInput& input, const PodSlot& slot,
                                              Value& pod) const {
  COPPICE_ASSIGN(const PodGroupInfo* group, FindGroup(input, slot));
  AddPodAffinity(input.gang, PlanFor(input), slot.group, SpecOf(pod));
  if (group->LastMinimum() == 0 || IsSurplus(*group, slot.index)) return {};
  COPPICE_ASSIGN(const std::string name, GroupName(input));
  SetLabel(pod, kPodGroupLabel, name);
  return {};
}

Signals SchedulerPluginsBackend::ReadSignals(const GangInput& input, std::span<const Value> objects,
                                             std::span<const Value> pods) const {
  Signals signals;
  for (const Value& object : objects) {
    const view::coscheduling::PodGroup group(object);
    const std::string_view phase = group.status().phase();
    if (phase == "Scheduling" || phase == "Unknown" || phase == "Pending" ||
        phase == "PreScheduling") {
      signals.unschedulable_reason = "Unschedulable";
      signals.unschedulable_message = fmt::format(
          "{}: {} running of {}", phase, group.status().running(), group.spec().minMember());
      signals.counts_only = true;
    }
    // This scheduler never clears a group's Failed phase, whatever happens to its pods.
    if (phase == "Failed" && !HasMinima(input.gang, pods)) {
      signals.unhealthy_reason = "PodGroupFailed";
    }
  }
  return signals;
}

base::Result<std::unique_ptr<SchedulerBackend>> Make(const Profile&) {
  return std::unique_ptr<SchedulerBackend>(std::make_unique<SchedulerPluginsBackend>());
}

}  // namespace coppice::backends::scheduler_plugins
