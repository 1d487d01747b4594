#include "operator/podgang/sync.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "api/edit/grove.h"
#include "api/view/grove.h"
#include "api/well_known.h"
#include "backends/gangs/gang_builder.h"
#include "kube/cache/apply.h"
#include "kube/executor/priority.h"
#include "kube/object.h"
#include "operator/common/children.h"
#include "operator/common/limits.h"
#include "operator/podgang/members.h"
#include "operator/podgang/metadata.h"
#include "operator/podgang/unserved.h"
#include "operator/runtime/conditions.h"
#include "operator/runtime/labels.h"
#include "operator/runtime/metadata.h"
#include "operator/runtime/parallel.h"
#include "operator/topology/condition.h"

namespace coppice::operators::podgang {
namespace {

using api::grove::PodCliqueSet;
using api::grove::PodGang;
using backends::PodGangInfo;
using podcliqueset::Scope;

// For a group above the limit, the number of existing replicas.
int64_t ReplicasOf(view::grove::PodCliqueScalingGroup group) {
  const int64_t replicas = group.spec().replicas();
  return replicas > kMostReplicas ? group.status().replicas() : replicas;
}

std::vector<PodGangInfo> ExpectedGangs(const Context& context, const PodCliqueSet& set,
                                       const Scope& scope) {
  backends::GangBuildInput input;
  input.levels = topology::LevelsOf(context, set);
  input.replicas = scope.Of(set.spec.replicas);
  for (const int i : *input.replicas) {
    for (const std::string& name : ScalingGroupNames(set, i)) {
      const auto group = context.groups.Get({set.ns(), name});
      if (!group) continue;
      input.scaling_group_replicas[name] = ReplicasOf(view::grove::PodCliqueScalingGroup(*group));
    }
  }
  std::vector<PodGangInfo> gangs = backends::BuildGangs(set.object, input);
  // Recreated pods should return to the nodes of their predecessors.
  const bool recreating =
      set.status.UpdateRunning() && context.config.policy().ReusesPlacesInUpdates();
  for (PodGangInfo& gang : gangs) {
    if (recreating) gang.reuse_reservation = backends::NamespacedName{gang.ns, gang.name};
  }
  return gangs;
}

// Existing gangs that may have to be deleted: those of the scope's replicas. Without scaling
// groups, gangs are only deleted together with their replica.
std::vector<json::Value> Candidates(const Context& context, const PodCliqueSet& set,
                                    const Scope& scope) {
  if (!scope.all() && set.spec.template_.podCliqueScalingGroups.empty()) return {};
  std::vector<json::Value> gangs = context.OwnedBy(context.gangs, set.uid());
  if (scope.all()) return gangs;
  const std::vector<int> replicas = scope.Of(set.spec.replicas);
  std::erase_if(gangs, [&](const json::Value& gang) {
    const auto replica = backends::ReplicaOfGang(set.name(), kube::Name(gang));
    return !replica || !std::binary_search(replicas.begin(), replicas.end(), *replica);
  });
  return gangs;
}

StepOutcome DeleteUnexpected(const Context& context, const PodCliqueSet& set, const Scope& scope,
                             const std::vector<PodGangInfo>& expected, kube::Debouncer& missing) {
  std::set<std::string, std::less<>> names;
  for (const PodGangInfo& gang : expected) names.insert(gang.name);
  StepOutcome outcome = StepOutcome::Done();
  for (const json::Value& gang : Candidates(context, set, scope)) {
    if (names.contains(kube::Name(gang)) || kube::IsDeleting(gang)) continue;
    missing.Forget(kube::KeyOf(gang));
    const base::Status deleted = kube::DeleteObject(context.client(), api::kPodGangs, gang);
    if (!deleted) {
      context.Event(set.object, "Warning", "PodGangDeleteFailed",
                    fmt::format("Error deleting PodGang {}/{}: {}", set.ns(), kube::Name(gang),
                                deleted.error().message()));
      outcome.Merge(StepOutcome::Failed("ERR_DELETE_EXCESS_PODGANG", "Sync", deleted.error()));
      continue;
    }
    context.Event(set.object, "Normal", "PodGangDeleteSuccessful",
                  fmt::format("Deleted PodGang {}/{}", set.ns(), kube::Name(gang)));
  }
  return outcome;
}

api::grove::Condition InitializedCondition(bool complete) {
  if (complete) {
    return {.type = std::string(api::grove::kGangInitialized),
            .status = "True",
            .reason = "PodGangPodsCreated",
            .message = "PodGang is fully initialized"};
  }
  return {.type = std::string(api::grove::kGangInitialized),
          .status = "False",
          .reason = "PodGangPodsCreationPending",
          .message = "Not all constituent pods have been created yet"};
}

// If backends write the gang's status, they report this too.
StepOutcome SyncInitialized(const Context& context, json::Value object, bool complete) {
  if (context.config.policy().BackendsWriteGangStatus()) return StepOutcome::Done();
  PodGang gang = api::grove::ReadPodGang(std::move(object));
  const Condition* present = FindCondition(gang.status.conditions, api::grove::kGangInitialized);
  if (present != nullptr && (present->status == "True" || !complete)) return StepOutcome::Done();
  if (gang.status.phase.empty()) gang.status.phase = "Pending";
  SetCondition(gang.status.conditions, InitializedCondition(complete), context.Now());
  OPERATOR_TRY("ERR_CREATE_OR_PATCH_PODGANG", "Sync",
               kube::PatchStatus(context.client(), api::kPodGangs, gang.object,
                                 api::grove::Write(gang.status)));
  return StepOutcome::Done();
}

// Pods that come and go only change the references. These do not deserve an event each, and
// recorders drop an object's events after the first two dozen.
bool OnlyPodsDiffer(const std::optional<json::Value>& before, const json::Value& after) {
  if (!before) return false;
  const auto without_pods = [](json::Value spec) {
    json::Value& groups = edit::grove::PodGangSpec(spec).podgroups().Json();
    for (json::Value& group : groups.MutableItems()) {
      edit::grove::PodGroup(group).clear_podReferences();
    }
    return spec;
  };
  return without_pods(view::grove::PodGang(*before).spec().Json()) ==
         without_pods(view::grove::PodGang(after).spec().Json());
}

// Whether the only pending change of an incomplete gang is its pod references.
bool OnlyPodsAreMissing(const std::optional<json::Value>& existing, const json::Value& desired) {
  if (!existing) return true;
  const view::grove::PodGang before(*existing), after(desired);
  if (before.metadata() != after.metadata()) return false;
  return before.spec() != after.spec() && OnlyPodsDiffer(existing, desired);
}

// Nothing acts on a gang before all its pods exist. So while they are created, it is not written
// until the last one exists, and then once. Zero if there is something to write now, or nothing.
base::Duration DelayOf(const Context& context, const std::optional<json::Value>& existing,
                       const json::Value& desired, bool complete, kube::Debouncer& missing) {
  const api::ObjectKey key = kube::KeyOf(desired);
  if (!complete && context.config.policy().WaitsForPodsOfGang() &&
      OnlyPodsAreMissing(existing, desired)) {
    const base::Duration delay =
        missing.Delay(key, view::grove::PodGang(desired).spec().Json(), context.Elapsed());
    if (delay > base::Duration::zero()) return delay;
  }
  missing.Forget(key);
  return base::Duration::zero();
}

json::Value Desired(const Context& context, const PodCliqueSet& set,
                    const backends::Selection& selection, const PodGangInfo& gang,
                    const std::optional<json::Value>& existing) {
  json::Value desired = existing ? *existing : kube::NewObject(api::kPodGangs, gang.ns, gang.name);
  const json::Value annotations = context.config.policy().AnnotatesGangsForBackend()
                                      ? context.backends.GangAnnotations(selection)
                                      : json::Value::Object();
  SetGangMetadata(context.config, set, gang, context.backends.GangLabels(selection), annotations,
                  desired);
  edit::grove::PodGang(desired).set_spec(backends::GangSpec(gang));
  return desired;
}

StepOutcome NotWritten(const Context& context, const PodCliqueSet& set, const std::string& gang,
                       const base::Error& error) {
  if (error.Is(base::ErrorCode::kAlreadyExists)) {
    return StepOutcome::ContinueAndRequeue("PodGang " + gang + " is not in the cache yet");
  }
  if (!IsStaleWrite(error)) {
    context.Event(
        set.object, "Warning", "PodGangCreateOrUpdateFailed",
        fmt::format("Error Creating/Updating PodGang {}/{}: {}", set.ns(), gang, error.message()));
  }
  return StepOutcome::Failed("ERR_CREATE_OR_PATCH_PODGANG", "Sync", error);
}

StepOutcome SyncOne(const Context& context, const PodCliqueSet& set,
                    const backends::Selection& selection, kube::Debouncer& missing,
                    PodGangInfo& gang) {
  const auto existing = context.gangs.Get({gang.ns, gang.name});
  if (existing && kube::IsDeleting(*existing)) return StepOutcome::Done();
  AddReferences(context, gang);
  const json::Value desired = Desired(context, set, selection, gang, existing);
  const bool complete = IsComplete(context, gang);
  const base::Duration delay = DelayOf(context, existing, desired, complete, missing);
  const bool waits = delay > base::Duration::zero();
  if (waits && (existing || !selection.backend->PodsNeedGang())) {
    return StepOutcome::ContinueAndRequeue("pods of gang " + gang.name + " are missing", delay);
  }
  const auto written = context.CreateOrPatch(api::kPodGangs, existing, desired);
  if (!written) return NotWritten(context, set, gang.name, written.error());
  if (written->written != kube::Written::kNothing && !OnlyPodsDiffer(existing, desired)) {
    context.Event(set.object, "Normal", "PodGangCreateOrUpdateSuccessful",
                  fmt::format("Created/Updated PodGang {}/{}", gang.ns, gang.name));
  }
  // Pods that come and go trigger a reconcile; there is nothing to poll for.
  if (waits) {
    return StepOutcome::ContinueAndRequeue("gang " + gang.name + " awaits its pods", delay);
  }
  return SyncInitialized(context, written->object, complete);
}

// Whether a gang that others wait for has not been written yet.
bool AnyIsNew(const Context& context, const std::vector<PodGangInfo>& gangs) {
  return std::any_of(gangs.begin(), gangs.end(), [&](const PodGangInfo& gang) {
    return !context.gangs.Get({gang.ns, gang.name});
  });
}

}  // namespace

StepOutcome SyncPodGangs(const Context& context, const PodCliqueSet& set, const Scope& scope,
                         kube::Debouncer& missing) {
  const auto selection = context.backends.Select(set.object);
  // Admission rejects such sets; this one's profile was disabled later.
  if (!selection && !context.config.policy().WritesGangsOfDisabledSchedulers()) {
    context.Event(set.object, "Warning", "PodGangCreateOrUpdateFailed",
                  selection.error().message());
    return StepOutcome::Failed("ERR_CREATE_OR_PATCH_PODGANG", "Sync", selection.error());
  }
  std::vector<PodGangInfo> gangs = ExpectedGangs(context, set, scope);
  if (!selection) return SyncUnserved(context, set, std::move(gangs), selection.error());
  StepOutcome outcome = DeleteUnexpected(context, set, scope, gangs, missing);
  if (outcome.kind() == StepOutcome::Kind::kFailed) return outcome;
  std::optional<kube::PriorityScope> starting;
  if (AnyIsNew(context, gangs)) starting.emplace(context.runtime.priorities, kube::Priority::kHigh);
  outcome.Merge(MergeUntilFailure(
      context.runtime, kube::Priority::kHigh, gangs.size(),
      [&](size_t i) { return SyncOne(context, set, *selection, missing, gangs[i]); }));
  return outcome;
}

}  // namespace coppice::operators::podgang
