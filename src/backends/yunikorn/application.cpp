#include "backends/yunikorn/application.h"

#include <fmt/format.h>

#include "api/edit/yunikorn.h"
#include "api/key/core.h"
#include "api/labels.h"
#include "backends/framework/pods.h"
#include "backends/model/names.h"
#include "backends/model/requests.h"
#include "backends/yunikorn/yunikorn.h"
#include "json/write.h"

namespace coppice::backends::yunikorn {
namespace {

using json::Value;

constexpr int64_t kDefaultTimeoutSeconds = 900;

std::string_view AffinityKey(ScopeKind kind) {
  switch (kind) {
    case ScopeKind::kGang:
      return api::labels::kGangAffinity;
    case ScopeKind::kConfig:
      return api::labels::kConfigAffinity;
    case ScopeKind::kGroup:
      return api::labels::kGroupAffinity;
  }
  return {};
}

Value TaskGroup(const GangInput& input, const TopologyPlan& plan, const PodGroupInfo& group) {
  Value task;
  const edit::yunikorn::TaskGroup edit(task);
  edit.set_name(Short(group.name, kLabelValueLimit))
      .set_minMember(group.LastMinimum())
      .set_minResource(ToJson(EffectiveRequests(group.pod_spec)));
  const Value labels = AffinityLabels(input, plan, group.name);
  if (!labels.empty()) edit.set_labels(labels);
  // Placeholders must be placed where the real pods may run.
  using Key = key::core::PodSpec;
  Value placement = Value::Object();
  for (const std::string_view field :
       {Key::nodeSelector, Key::tolerations, Key::affinity, Key::topologySpreadConstraints}) {
    if (group.pod_spec.Has(field)) placement.Set(field, group.pod_spec[field]);
  }
  AddPodAffinity(input.gang, plan, group.name, placement, &AffinitySelector);
  for (const json::Member& member : placement.Members()) task.Set(member.name(), member.value);
  return task;
}

}  // namespace

std::string AppId(const GangInput& input) {
  const PodGangInfo& gang = input.gang;
  std::string id = fmt::format("{}-{}-{}", gang.ns, gang.name, gang.uid.substr(0, 8));
  const std::string_view attempt = gang.annotations[kAttempt].AsString();
  if (!attempt.empty()) return Short(fmt::format("{}-r{}", id, attempt), kLabelValueLimit);
  const std::string known = input.cluster ? SaidByPods(input, kAppId) : std::string();
  return known.empty() ? Short(id, kLabelValueLimit) : known;
}

TopologyPlan PlanFor(const GangInput& input) {
  return PlanTopology(input,
                      {.expressiveness = [](const Scope&, bool) { return Expressiveness::kNone; },
                       .affinity_required = true,
                       .affinity_preferred = false});
}

std::string TaskGroups(const GangInput& input, const TopologyPlan& plan) {
  Value groups = Value::Array();
  for (const PodGroupInfo& group : input.gang.pod_groups) {
    if (group.LastMinimum() > 0) groups.Append(TaskGroup(input, plan, group));
  }
  return json::Write(groups);
}

std::string PolicyParameters(const GangInput& input) {
  const auto options = input.profile.Config();
  return fmt::format("placeholderTimeoutInSeconds={} gangSchedulingStyle={}",
                     options.placeholderTimeoutSeconds(kDefaultTimeoutSeconds),
                     Or(options.gangSchedulingStyle(), "Hard"));
}

Value AffinityLabels(const GangInput& input, const TopologyPlan& plan, std::string_view group) {
  Value labels = Value::Object();
  for (const AffinityTerm& term : plan.affinity) {
    if (!Covers(input.gang, term.scope, group)) continue;
    labels.Set(AffinityKey(term.scope.kind), Short(term.scope.name, kLabelValueLimit));
  }
  return labels;
}

Value AffinitySelector(const Scope& scope) {
  Value selector;
  edit::meta::LabelSelector(selector).matchLabels().Set(AffinityKey(scope.kind),
                                                        Short(scope.name, kLabelValueLimit));
  return selector;
}

}  // namespace coppice::backends::yunikorn
