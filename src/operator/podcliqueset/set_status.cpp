#include "operator/podcliqueset/set_status.h"

#include <fmt/format.h>

#include "api/conditions.h"
#include "api/grove/convert.h"
#include "api/well_known.h"
#include "kube/cache/apply.h"
#include "operator/common/hash.h"
#include "operator/podcliqueset/adoption.h"
#include "operator/runtime/failure.h"
#include "operator/runtime/labels.h"
#include "operator/runtime/last_errors.h"
#include "operator/topology/condition.h"

namespace coppice::operators::podcliqueset {
namespace {

using api::grove::PodCliqueSet;
using api::grove::PodCliqueSetStatus;

bool OnlyCountersDiffer(const PodCliqueSetStatus& before, const PodCliqueSetStatus& after) {
  PodCliqueSetStatus recounted = before;
  recounted.availableReplicas = after.availableReplicas;
  recounted.updatedReplicas = after.updatedReplicas;
  if (recounted.updateProgress && after.updateProgress) {
    recounted.updateProgress->updatedPodCliquesCount = after.updateProgress->updatedPodCliquesCount;
    recounted.updateProgress->updatedPodCliqueScalingGroupsCount =
        after.updateProgress->updatedPodCliqueScalingGroupsCount;
  }
  return recounted == after;
}

// Users look at the set first and would miss what its cliques report about a pod.
void TellFailure(const Context& context, const PodCliqueSet& set, const std::optional<Failure>& now,
                 PodCliqueSetStatus& status) {
  const Condition* before = FindCondition(set.status.conditions, kReplicaFailure);
  const bool news = now && (before == nullptr || before->message != now->message);
  UpdateFailure(context.config, now, set.generation(), context.Now(), status.conditions);
  if (news && context.config.policy().ReportsReplicaFailure()) {
    context.Event(set.object, "Warning", now->reason,
                  fmt::format("{}; coppice why set/{} says what to do", now->message, set.name()));
  }
}

// Whether all replicas are available in the newest version, for `kubectl wait
// --for=condition=Ready`. The message has no counts, which are debounced; the status has them.
Condition ReadyCondition(const PodCliqueSet& set, const PodCliqueSetStatus& status) {
  Condition ready{.type = std::string(api::conditions::kPodReady),
                  .status = "True",
                  .observedGeneration = set.generation(),
                  .lastTransitionTime = "",
                  .reason = "ReplicasAvailable",
                  .message = "all replicas are available"};
  if (status.availableReplicas < set.spec.replicas) {
    ready.status = "False";
    ready.reason = "ReplicasUnavailable";
    ready.message =
        fmt::format("not all replicas are available; coppice why set/{} says why", set.name());
  } else if (status.UpdateRunning()) {
    ready.status = "False";
    ready.reason = "UpdateInProgress";
    ready.message = "replicas are being updated; status.updateProgress counts them";
  }
  return ready;
}

void UpdateReady(const Context& context, const PodCliqueSet& set, const StepOutcome& spec_outcome,
                 PodCliqueSetStatus& status) {
  const std::string_view type = api::conditions::kPodReady;
  if (!context.config.policy().ReportsReplicaFailure())
    return RemoveCondition(status.conditions, type);
  // A spec that has not been carried out yet keeps the condition of the one before.
  if (!spec_outcome.proceeds()) return;
  SetCondition(status.conditions, ReadyCondition(set, status), context.Now());
}

}  // namespace

void ApplyCounts(const PodCliqueSet& set, const Counts& counts, PodCliqueSetStatus& status) {
  status.replicas = set.spec.replicas;
  status.availableReplicas = counts.available;
  status.updatedReplicas = counts.updated;
  if (!status.updateProgress) return;
  status.updateProgress->totalPodCliquesCount = counts.cliques;
  status.updateProgress->updatedPodCliquesCount = counts.updated_cliques;
  status.updateProgress->totalPodCliqueScalingGroupsCount = counts.groups;
  status.updateProgress->updatedPodCliqueScalingGroupsCount = counts.updated_groups;
}

base::Status WriteStatus(const Context& context, PodCliqueSet& set,
                         const PodCliqueSetStatus& status) {
  if (status == set.status) return {};
  COPPICE_ASSIGN(kube::Applied written, kube::PatchStatus(context.client(), api::kPodCliqueSets,
                                                          set.object, api::grove::Write(status)));
  set = api::grove::ReadPodCliqueSet(std::move(written.object));
  return {};
}

StepOutcome SyncGenerationHash(const Context& context, PodCliqueSet& set) {
  if (set.status.currentGenerationHash == GenerationHash(set)) return StepOutcome::Done();
  OPERATOR_TRY("ERR_SYNC_PODCLIQUESET", "Sync", AdoptFoundHashes(context, set));
  const std::string hash = GenerationHash(set);
  if (set.status.currentGenerationHash == hash) return StepOutcome::Done();
  PodCliqueSetStatus status = set.status;
  if (status.currentGenerationHash) {
    const std::string now = base::FormatRfc3339(context.Now());
    status.updateProgress.emplace();
    status.updateProgress->updateStartedAt = now;
    if (!set.spec.UpdatesByItself()) status.updateProgress->updateEndedAt = now;
    status.updatedReplicas = 0;
  }
  status.currentGenerationHash = hash;
  OPERATOR_TRY("ERR_UPDATE_PCS_STATUS", "Sync", WriteStatus(context, set, status));
  return StepOutcome::Done();
}

base::Result<StepOutcome> UpdateStatus(const Context& context, PodCliqueSet& set,
                                       const StepOutcome& spec_outcome, const Counts& counts,
                                       kube::Debouncer& debouncer) {
  PodCliqueSetStatus status = set.status;
  ApplyCounts(set, counts, status);
  topology::UpdateCondition(context, set, status.conditions);
  status.hpaPodSelector = Selector(DefaultLabels(set.name()));
  if (spec_outcome.proceeds()) status.observedGeneration = set.generation();
  UpdateLastErrors(spec_outcome, context.Now(), status.lastErrors);
  UpdateReady(context, set, spec_outcome, status);
  const std::optional<Failure> own = FailureOf(spec_outcome);
  TellFailure(context, set, own ? own : counts.failure, status);
  const api::ObjectKey key{set.ns(), set.name()};
  if (status != set.status && OnlyCountersDiffer(set.status, status)) {
    const base::Duration delay = debouncer.Delay(key, api::grove::Write(status), context.Elapsed());
    if (delay > base::Duration::zero()) {
      return StepOutcome::ContinueAndRequeue("the status write is debounced", delay);
    }
  }
  debouncer.Forget(key);
  COPPICE_TRY(WriteStatus(context, set, status));
  return StepOutcome::Done();
}

}  // namespace coppice::operators::podcliqueset
