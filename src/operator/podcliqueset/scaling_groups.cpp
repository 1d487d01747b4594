#include <fmt/format.h>

#include <set>

#include "api/edit/grove.h"
#include "api/grove/convert.h"
#include "api/view/grove.h"
#include "api/well_known.h"
#include "kube/cache/apply.h"
#include "kube/object.h"
#include "operator/common/children.h"
#include "operator/common/names.h"
#include "operator/podcliqueset/components.h"
#include "operator/podcliqueset/objects.h"
#include "operator/runtime/labels.h"
#include "operator/runtime/metadata.h"
#include "operator/runtime/parallel.h"

namespace coppice::operators::podcliqueset {
namespace {

using api::grove::PodCliqueSet;
using api::grove::ScalingGroupConfig;

StringMap Annotations(const PodCliqueSet& set, const ScalingGroupConfig& group) {
  StringMap annotations = group.annotations;
  const std::string inherited = set.annotation(labels::kMnnvlGroup);
  if (!inherited.empty()) annotations.emplace(labels::kMnnvlGroup, inherited);
  return annotations;
}

}  // namespace

json::Value BuildScalingGroup(const Config& config, const PodCliqueSet& set, int replica,
                              const ScalingGroupConfig& group, const Existing& existing) {
  const std::string name = names::ScalingGroup(set.name(), replica, group.name);
  json::Value object =
      existing ? *existing : kube::NewObject(api::kPodCliqueScalingGroups, set.ns(), name);
  StringMap labels = DefaultLabels(set.name());
  labels[std::string(labels::kComponent)] = "pcs-podcliquescalinggroup";
  labels[std::string(labels::kAppName)] = name;
  labels[std::string(labels::kSetReplica)] = fmt::format("{}", replica);
  SetOwnMetadata(config, labels, Annotations(set, group), object);
  SetController(object, set.object);
  EnsureFinalizer(object, api::finalizers::kScalingGroup);
  api::grove::ScalingGroupSpec spec{group.Replicas(), group.MinAvailable(), group.cliqueNames};
  // Once it exists, its scale belongs to users and autoscalers.
  if (existing) {
    spec.replicas =
        static_cast<int32_t>(view::grove::PodCliqueScalingGroup(*existing).spec().replicas());
  }
  edit::grove::PodCliqueScalingGroup(object).set_spec(api::grove::Write(spec));
  return object;
}

namespace {

StepOutcome SyncGroup(const Context& context, const PodCliqueSet& set, int replica,
                      const ScalingGroupConfig& group) {
  const std::string name = names::ScalingGroup(set.name(), replica, group.name);
  const auto existing = context.groups.Get({set.ns(), name});
  if (existing && kube::IsDeleting(*existing)) return StepOutcome::Done();
  const auto written =
      context.CreateOrPatch(api::kPodCliqueScalingGroups, existing,
                            BuildScalingGroup(context.config, set, replica, group, existing));
  if (written.Is(base::ErrorCode::kAlreadyExists)) {
    return StepOutcome::ContinueAndRequeue("scaling group " + name + " is not in the cache yet");
  }
  if (!written) {
    if (!IsStaleWrite(written.error())) {
      context.Event(set.object, "Warning", "PodCliqueScalingGroupCreateOrUpdateFailed",
                    fmt::format("Error creating or updating PodCliqueScalingGroup {}/{}: {}",
                                set.ns(), name, written.error().message()));
    }
    return StepOutcome::Failed("ERR_SYNC_PODCLIQUESCALINGGROUP", "Sync", written.error());
  }
  if (written->written != kube::Written::kNothing) {
    context.Event(set.object, "Normal", "PodCliqueScalingGroupCreateSuccessful",
                  fmt::format("Created PodCliqueScalingGroup {}/{}", set.ns(), name));
  }
  return StepOutcome::Done();
}

std::set<std::string, std::less<>> WantedNames(const PodCliqueSet& set) {
  std::set<std::string, std::less<>> names;
  for (int i = 0; i < set.spec.replicas; ++i) {
    for (std::string& name : ScalingGroupNames(set, i)) names.insert(std::move(name));
  }
  return names;
}

StepOutcome DeleteUnwanted(const Context& context, const PodCliqueSet& set) {
  const auto wanted = WantedNames(set);
  StepOutcome outcome = StepOutcome::Done();
  for (const json::Value& group : context.OwnedBy(context.groups, set.uid())) {
    if (wanted.contains(kube::Name(group)) || kube::IsDeleting(group)) continue;
    const base::Status deleted =
        kube::DeleteObject(context.client(), api::kPodCliqueScalingGroups, group);
    if (!deleted) {
      context.Event(set.object, "Warning", "PodCliqueScalingGroupDeleteFailed",
                    fmt::format("Error deleting PodCliqueScalingGroup {}/{}: {}", set.ns(),
                                kube::Name(group), deleted.error().message()));
      outcome.Merge(
          StepOutcome::Failed("ERR_DELETE_PODCLIQUESCALINGGROUP", "Sync", deleted.error()));
      continue;
    }
    context.Event(set.object, "Normal", "PodCliqueScalingGroupDeleteSuccessful",
                  fmt::format("Deleted PodCliqueScalingGroup {}/{}", set.ns(), kube::Name(group)));
  }
  return outcome;
}

}  // namespace

StepOutcome SyncScalingGroups(const Context& context, const PodCliqueSet& set, const Scope& scope) {
  const std::vector<ScalingGroupConfig>& configs = set.spec.template_.podCliqueScalingGroups;
  const std::vector<int> replicas = scope.Of(set.spec.replicas);
  StepOutcome outcome = MergeInParallel(
      context.runtime, kube::Priority::kHighest, replicas.size() * configs.size(), [&](size_t i) {
        return SyncGroup(context, set, replicas[i / configs.size()], configs[i % configs.size()]);
      });
  if (scope.all()) outcome.Merge(DeleteUnwanted(context, set));
  return outcome;
}

}  // namespace coppice::operators::podcliqueset
