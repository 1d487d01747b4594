#include "operator/podcliqueset/termination.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/well_known.h"
#include "kube/cache/apply.h"
#include "kube/object.h"
#include "operator/common/names.h"
#include "operator/runtime/conditions.h"
#include "operator/runtime/labels.h"

namespace coppice::operators::podcliqueset {
namespace {

using api::grove::PodClique;
using api::grove::PodCliqueScalingGroup;
using api::grove::PodCliqueSet;

constexpr int kFlagAttempts = 6;

void Shorten(std::optional<base::Duration>& shortest, std::optional<base::Duration> candidate) {
  if (candidate) shortest = shortest ? std::min(*shortest, *candidate) : *candidate;
}

// The time until the replica's gang is terminated; nullopt if nothing in it is breached.
std::optional<base::Duration> ReplicaTimeLeft(const PodCliqueSet& set, const SetChildren& children,
                                              int i, base::Time now) {
  std::optional<base::Duration> left;
  for (const std::string& name : StandaloneCliqueNames(set, i)) {
    const PodClique* clique = children.FindClique(name);
    if (clique == nullptr) return std::nullopt;  // Being recreated: do not judge yet.
    if (WasEverScheduled(*clique)) Shorten(left, TimeLeft(set, clique->status.conditions, now));
  }
  for (const std::string& name : ScalingGroupNames(set, i)) {
    const PodCliqueScalingGroup* group = children.FindGroup(name);
    if (group == nullptr || !WasEverHealthy(*group)) continue;
    if (ConditionIs(group->status.conditions, api::grove::kGangTerminationInProgress, "True")) {
      continue;
    }
    Shorten(left, TimeLeft(set, group->status.conditions, now));
  }
  return left;
}

base::Status DeleteCliques(const Context& context, const PodCliqueSet& set, int i) {
  for (const json::Value& clique : context.PartOf(context.cliques, set.ns(), set.name())) {
    if (names::IndexLabel(clique, labels::kSetReplica) != i) continue;
    COPPICE_TRY(kube::DeleteObject(context.client(), api::kPodCliques, clique));
  }
  return {};
}

// Reads and writes the live object: if the flag were lost, the breach would fire again.
base::Status Flag(const Context& context, const PodCliqueScalingGroup& group, int i) {
  base::Status last;
  for (int attempt = 0; attempt < kFlagAttempts; ++attempt) {
    auto live =
        context.runtime.client.Get(api::kPodCliqueScalingGroups, {group.ns(), group.name()});
    if (live.Is(base::ErrorCode::kNotFound)) return {};
    if (!live) {
      last = live.error();
      continue;
    }
    PodCliqueScalingGroup current = api::grove::ReadScalingGroup(*std::move(live));
    SetCondition(
        current.status.conditions,
        {.type = std::string(api::grove::kGangTerminationInProgress),
         .status = "True",
         .reason = "GangTerminationActive",
         .message = fmt::format("Gang termination fired at PCS-replica scope for PCS replica {}; "
                                "this PCSG's PodCliques were deleted as part of the recycle",
                                i)},
        context.Now());
    const auto written = kube::PatchStatus(context.client(), api::kPodCliqueScalingGroups,
                                           current.object, api::grove::Write(current.status));
    if (written || written.Is(base::ErrorCode::kNotFound)) return {};
    last = written.error();
  }
  return last;
}

StepOutcome Terminate(const Context& context, const PodCliqueSet& set, const SetChildren& children,
                      int i) {
  const base::Status deleted = DeleteCliques(context, set, i);
  if (!deleted) {
    context.Event(
        set.object, "Warning", "PodCliqueSetReplicaDeleteFailed",
        fmt::format("Error deleting PodCliqueSet replica {}: {}", i, deleted.error().message()));
    return StepOutcome::Failed("ERR_DELETE_PCS_REPLICA", "Sync", deleted.error());
  }
  context.Event(set.object, "Normal", "PodCliqueSetReplicaDeleteSuccessful",
                fmt::format("PodCliqueSet replica {} deleted", i));
  StepOutcome outcome = StepOutcome::Done();
  for (const std::string& name : ScalingGroupNames(set, i)) {
    const PodCliqueScalingGroup* group = children.FindGroup(name);
    if (group == nullptr) continue;
    const base::Status flagged = Flag(context, *group, i);
    if (!flagged) {
      outcome.Merge(StepOutcome::Failed("ERR_DELETE_PCS_REPLICA", "Sync", flagged.error()));
    }
  }
  return outcome;
}

}  // namespace

TerminationResult TerminateBreachedReplicas(const Context& context, const PodCliqueSet& set,
                                            const SetChildren& children,
                                            const std::vector<int>& replicas) {
  TerminationResult result;
  for (const int i : replicas) {
    const auto left = ReplicaTimeLeft(set, children, i, context.Now());
    if (!left) continue;
    if (*left > base::Duration::zero()) {
      result.breached.insert(i);
      result.outcome.Merge(StepOutcome::ContinueAndRequeue(
          fmt::format("replica {} is below its minimum", i), *left));
      continue;
    }
    result.terminated.insert(i);
    result.outcome.Merge(Terminate(context, set, children, i));
  }
  return result;
}

}  // namespace coppice::operators::podcliqueset
