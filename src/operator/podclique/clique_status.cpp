#include "operator/podclique/clique_status.h"

#include <fmt/format.h>

#include <algorithm>

#include "kube/object.h"
#include "operator/common/children.h"
#include "operator/podclique/pod_facts.h"
#include "operator/runtime/conditions.h"
#include "operator/runtime/failure.h"
#include "operator/runtime/labels.h"
#include "operator/runtime/last_errors.h"

namespace coppice::operators::podclique {
namespace {

using api::grove::PodCliqueStatus;

template <typename Test>
int32_t Count(const std::vector<json::Value>& pods, const Test& test) {
  return static_cast<int32_t>(std::count_if(pods.begin(), pods.end(), test));
}

// The template hash that makes a pod count as updated; "" if none is known.
std::string TargetHash(const Pass& pass, const PodCliqueStatus& status) {
  if (status.updateProgress) return status.updateProgress->podTemplateHash;
  const std::string label = pass.clique.label(labels::kTemplateHash);
  return label.empty() ? status.currentPodTemplateHash.value_or("") : label;
}

// Terminating pods do not count: an update that counted them would continue with the next replica
// while this one is down, and on a failed node they stay forever. Upstream counts them.
template <typename Test>
int32_t CountStaying(const Pass& pass, const Test& test) {
  const bool ending_too = pass.context.config.policy().CountsTerminatingPods();
  return Count(pass.pods, [&](const json::Value& pod) {
    return test(pod) && (ending_too || !kube::IsDeleting(pod));
  });
}

void CountPods(const Pass& pass, PodCliqueStatus& status) {
  const auto live = [](const json::Value& pod) { return !kube::IsDeleting(pod); };
  status.replicas = Count(pass.pods, live);
  status.readyReplicas = CountStaying(pass, IsReady);
  status.scheduledReplicas = CountStaying(pass, IsScheduled);
  status.scheduleGatedReplicas = Count(pass.pods, IsGated);
  const std::string target = TargetHash(pass, status);
  if (target.empty()) return;
  status.updatedReplicas = Count(
      pass.pods, [&](const json::Value& pod) { return live(pod) && TemplateHash(pod) == target; });
}

void SetCurrentHashes(const Pass& pass, PodCliqueStatus& status) {
  const auto& progress = status.updateProgress;
  if ((progress && progress->Running()) || status.updatedReplicas != status.replicas) return;
  if (progress) {
    status.currentPodCliqueSetGenerationHash = progress->podCliqueSetGenerationHash;
    status.currentPodTemplateHash = progress->podTemplateHash;
  } else if (pass.clique.label(labels::kTemplateHash) == pass.expected_hash &&
             pass.set.status.currentGenerationHash) {
    status.currentPodCliqueSetGenerationHash = pass.set.status.currentGenerationHash;
    status.currentPodTemplateHash = pass.expected_hash;
  }
}

// The transition time alone does not tell whether the clique ever had its pods. Upstream relies on
// it.
bool HasLostPods(const Pass& pass, const PodCliqueStatus& status) {
  if (!pass.context.config.policy().ReportsLostReplicas()) return false;
  const Condition* before = FindCondition(status.conditions, api::grove::kPodCliqueScheduled);
  return before != nullptr && (before->status == "True" || before->reason == kScheduledPodsLost);
}

Condition Scheduled(const Pass& pass, const PodCliqueStatus& status) {
  const int32_t scheduled = status.scheduledReplicas;
  const int32_t minimum = pass.clique.spec.MinAvailable();
  const bool enough = scheduled >= minimum;
  const std::string_view lacking =
      HasLostPods(pass, status) ? kScheduledPodsLost : "InsufficientScheduledPods";
  return {.type = std::string(api::grove::kPodCliqueScheduled),
          .status = enough ? "True" : "False",
          .reason = std::string(enough ? "SufficientScheduledPods" : lacking),
          .message = fmt::format("{} scheduled pods found. expected at least: {}, found: {}",
                                 enough ? "Sufficient" : "Insufficient", minimum, scheduled)};
}

Condition Breach(std::string status, std::string reason, std::string message) {
  return {.type = std::string(api::grove::kMinAvailableBreached),
          .status = std::move(status),
          .reason = std::move(reason),
          .message = std::move(message)};
}

Condition Breached(const Pass& pass, const PodCliqueStatus& status) {
  const int32_t minimum = pass.clique.spec.MinAvailable();
  if (pass.set.spec.UpdatesByItself() && status.updateProgress &&
      status.updateProgress->Running()) {
    return Breach("Unknown", "UpdateInProgress", "Update is in progress");
  }
  if (status.scheduledReplicas < minimum) {
    return Breach("True", "ScheduledReplicasBelowMinAvailable",
                  fmt::format("Scheduled replicas ({}) below MinAvailable ({})",
                              status.scheduledReplicas, minimum));
  }
  const int32_t broken = Count(pass.pods, [](const json::Value& pod) {
    if (kube::IsDeleting(pod) || !IsScheduled(pod) || IsReady(pod)) return false;
    return HasFailedBefore(pod) || IsStartedButNotReady(pod);
  });
  const int32_t sound = status.scheduledReplicas - broken;
  if (sound < minimum) {
    return Breach("True", "InsufficientReadyPods",
                  fmt::format("Insufficient ready or starting pods. expected at least: {}, "
                              "found: {}",
                              minimum, sound));
  }
  return Breach("False", "SufficientReadyPods",
                fmt::format("Either sufficient ready or starting pods found. expected at least: "
                            "{}, found: {}",
                            minimum, sound));
}

void SetConditions(const Pass& pass, PodCliqueStatus& status) {
  if (!status.observedGeneration) return;
  const base::Time now = pass.context.Now();
  const bool waited = !WasEverScheduled(pass.clique);
  SetCondition(status.conditions, Scheduled(pass, status), now);
  // We may first see the clique after its pods have started, and miss the transition. Then it is
  // below its minimum from now on, not for as long as it waited for capacity. That wait may exceed
  // the termination delay, and the clique would be terminated immediately.
  if (waited && ConditionIs(status.conditions, api::grove::kPodCliqueScheduled, "True")) {
    RemoveCondition(status.conditions, api::grove::kMinAvailableBreached);
  }
  SetCondition(status.conditions, Breached(pass, status), now);
}

bool TurnedTo(const PodCliqueStatus& before, const PodCliqueStatus& after, std::string_view type,
              std::string_view status) {
  return ConditionIs(after.conditions, type, status) &&
         !ConditionIs(before.conditions, type, status);
}

// Scaling groups, scaled gangs and rolling updates proceed when a clique is healthy.
bool SomebodyWaits(const Pass& pass) {
  return !pass.set.spec.template_.podCliqueScalingGroups.empty() || pass.set.status.UpdateRunning();
}

// Whether the write may be deferred: counters, improvements that nothing in the set waits for, and
// the first status of a new clique.
bool MayDefer(const Pass& pass, const PodCliqueStatus& before, const PodCliqueStatus& after) {
  if (SomebodyWaits(pass) || before.lastErrors != after.lastErrors) return false;
  if (!before.observedGeneration) return true;
  return before.observedGeneration == after.observedGeneration &&
         before.updateProgress == after.updateProgress &&
         before.currentPodTemplateHash == after.currentPodTemplateHash &&
         before.currentPodCliqueSetGenerationHash == after.currentPodCliqueSetGenerationHash &&
         !TurnedTo(before, after, api::grove::kPodCliqueScheduled, "False") &&
         !TurnedTo(before, after, api::grove::kMinAvailableBreached, "True");
}

}  // namespace

PodCliqueStatus ComputeStatus(const Pass& pass, const StepOutcome& spec_outcome) {
  PodCliqueStatus status = pass.clique.status;
  if (spec_outcome.proceeds()) status.observedGeneration = pass.clique.generation();
  CountPods(pass, status);
  SetCurrentHashes(pass, status);
  SetConditions(pass, status);
  if (pass.standalone()) {
    StringMap labels = DefaultLabels(pass.set.name());
    labels[std::string(labels::kPodClique)] = pass.clique.name();
    status.hpaPodSelector = Selector(labels);
  }
  UpdateLastErrors(spec_outcome, pass.context.Now(), status.lastErrors);
  UpdateFailure(pass.context.config, FailureOf(spec_outcome), pass.clique.generation(),
                pass.context.Now(), status.conditions);
  return status;
}

void Debouncers::Forget(const api::ObjectKey& clique) {
  arrival.Forget(clique);
  usual.Forget(clique);
}

base::Result<StepOutcome> UpdateStatus(Pass& pass, const StepOutcome& spec_outcome,
                                       Debouncers& debouncers) {
  const PodCliqueStatus before = StoredStatus(pass);
  pass.clique.status = ComputeStatus(pass, spec_outcome);
  if (pass.clique.status != before && MayDefer(pass, before, pass.clique.status)) {
    const bool arriving =
        !before.observedGeneration && pass.clique.status.readyReplicas < pass.clique.spec.replicas;
    const base::Duration delay =
        (arriving ? debouncers.arrival : debouncers.usual)
            .Delay(pass.key(), api::grove::Write(pass.clique.status), pass.context.Elapsed());
    if (delay > base::Duration::zero()) {
      return StepOutcome::ContinueAndRequeue("the status write is debounced", delay);
    }
  }
  debouncers.Forget(pass.key());
  if (pass.clique.status != before) COPPICE_TRY(WriteStatus(pass));
  if (before.scheduledReplicas > 0 && pass.clique.status.scheduledReplicas == 0) {
    pass.context.Event(
        pass.clique.object, "Warning", "AllScheduledReplicasLost",
        fmt::format("All scheduled pods lost (was {}). Gang termination will fire after "
                    "TerminationDelay if the PodClique stays below MinAvailable; investigate node "
                    "availability or capacity.",
                    before.scheduledReplicas));
  }
  return StepOutcome::Done();
}

}  // namespace coppice::operators::podclique
