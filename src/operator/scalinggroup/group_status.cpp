#include "operator/scalinggroup/group_status.h"

#include <fmt/format.h>

#include <algorithm>

#include "operator/common/children.h"
#include "operator/runtime/conditions.h"
#include "operator/runtime/failure.h"
#include "operator/runtime/labels.h"
#include "operator/runtime/last_errors.h"

namespace coppice::operators::scalinggroup {
namespace {

using api::grove::PodClique;
using api::grove::ScalingGroupStatus;

template <typename Test>
bool AllOf(const std::vector<const PodClique*>& cliques, const Test& test) {
  return std::all_of(cliques.begin(), cliques.end(),
                     [&](const PodClique* clique) { return test(*clique); });
}

struct Counts {
  int32_t scheduled = 0;
  int32_t available = 0;
  int32_t updated = 0;
  int32_t sound = 0;  // Complete, and no clique is below its minimum.
  int32_t updated_cliques = 0;
};

void CountReplica(const Pass& pass, int replica, Counts& counts) {
  const auto cliques = pass.CliquesOf(replica);
  const auto converged = [&](const PodClique& clique) { return IsConverged(pass.set, clique); };
  counts.updated_cliques += static_cast<int32_t>(std::count_if(
      cliques.begin(), cliques.end(), [&](const PodClique* clique) { return converged(*clique); }));
  if (!pass.IsComplete(replica)) return;
  // A clique without the condition is new, not healthy. Otherwise each recreated clique would end
  // the breach that it was recreated for.
  counts.sound += AllOf(cliques, [](const PodClique& clique) {
    const Condition* breach =
        FindCondition(clique.status.conditions, api::grove::kMinAvailableBreached);
    return breach != nullptr && breach->status != "True";
  });
  const bool scheduled = AllOf(cliques, [](const PodClique& clique) {
    return ConditionIs(clique.status.conditions, api::grove::kPodCliqueScheduled, "True");
  });
  const bool available = scheduled && AllOf(cliques, [](const PodClique& clique) {
                           return clique.status.readyReplicas >= clique.spec.MinAvailable();
                         });
  counts.scheduled += scheduled;
  counts.available += available;
  counts.updated += available && AllOf(cliques, converged);
}

bool HasLostReplicas(const Pass& pass) {
  if (!pass.context.config.policy().ReportsLostReplicas()) return false;
  const Condition* before =
      FindCondition(pass.group.status.conditions, api::grove::kMinAvailableBreached);
  return before != nullptr && (before->status == "False" || before->reason == kGroupReplicasLost);
}

Condition Breach(const Pass& pass, const Counts& counts) {
  Condition condition{.type = std::string(api::grove::kMinAvailableBreached)};
  const int32_t minimum = pass.group.spec.MinAvailable();
  if (pass.UpdateRunning()) {
    condition.status = "Unknown";
    condition.reason = "UpdateInProgress";
    condition.message = "Update is in progress";
  } else if (counts.sound < minimum) {
    condition.status = "True";
    condition.reason = HasLostReplicas(pass) ? kGroupReplicasLost
                                             : "InsufficientAvailablePodCliqueScalingGroupReplicas";
    condition.message = fmt::format("PCSG replicas not in breach ({}) below MinAvailable ({})",
                                    counts.sound, minimum);
  } else {
    condition.status = "False";
    condition.reason = "SufficientAvailablePodCliqueScalingGroupReplicas";
    condition.message = fmt::format("PCSG replicas not in breach ({}) meets MinAvailable ({})",
                                    counts.sound, minimum);
  }
  return condition;
}

// Every PodClique of every replica exists and runs the set's current template.
bool RunsPresentTemplate(const Pass& pass) {
  const auto& target = pass.set.status.currentGenerationHash;
  if (!target || pass.UpdateRunning()) return false;
  for (int j = 0; j < pass.group.spec.replicas; ++j) {
    if (!pass.IsComplete(j)) return false;
    const bool there = AllOf(pass.CliquesOf(j), [&](const PodClique& clique) {
      const auto hash = ExpectedTemplateHash(pass.set, clique.object);
      return hash && clique.label(labels::kTemplateHash) == *hash &&
             clique.status.currentPodTemplateHash == hash &&
             clique.status.currentPodCliqueSetGenerationHash == target;
    });
    if (!there) return false;
  }
  return true;
}

void SetConditions(const Pass& pass, const Counts& counts, ScalingGroupStatus& status) {
  SetCondition(status.conditions, Breach(pass, counts), pass.context.Now());
  if (ConditionIs(status.conditions, api::grove::kMinAvailableBreached, "False")) {
    RemoveCondition(status.conditions, api::grove::kGangTerminationInProgress);
  }
}

// The failure of the group itself, or of the first member that has one.
std::optional<Failure> FailureIn(const Pass& pass, const StepOutcome& spec_outcome) {
  std::optional<Failure> failure = FailureOf(spec_outcome);
  for (auto clique = pass.cliques.begin(); !failure && clique != pass.cliques.end(); ++clique) {
    failure = FailureOf("PodClique", clique->first, clique->second.status.conditions);
  }
  return failure;
}

bool OnlyCountersDiffer(const ScalingGroupStatus& before, const ScalingGroupStatus& after) {
  ScalingGroupStatus recounted = before;
  recounted.scheduledReplicas = after.scheduledReplicas;
  recounted.availableReplicas = after.availableReplicas;
  recounted.updatedReplicas = after.updatedReplicas;
  // Losing the last one needs an event.
  return recounted == after && after.scheduledReplicas > 0;
}

}  // namespace

ScalingGroupStatus ComputeStatus(const Pass& pass, const StepOutcome& spec_outcome) {
  Counts counts;
  for (int j = 0; j < pass.group.spec.replicas; ++j) CountReplica(pass, j, counts);
  ScalingGroupStatus status = pass.group.status;
  if (spec_outcome.proceeds()) status.observedGeneration = pass.group.generation();
  status.replicas = pass.group.spec.replicas;
  status.scheduledReplicas = counts.scheduled;
  status.availableReplicas = counts.available;
  status.updatedReplicas = counts.updated;
  SetConditions(pass, counts, status);
  StringMap labels = DefaultLabels(pass.set.name());
  labels[std::string(labels::kScalingGroup)] = pass.group.name();
  status.selector = Selector(labels);
  if (status.updateProgress) {
    status.updateProgress->totalPodCliquesCount =
        pass.group.spec.replicas * static_cast<int32_t>(pass.group.spec.cliqueNames.size());
    status.updateProgress->updatedPodCliquesCount = counts.updated_cliques;
  }
  if (RunsPresentTemplate(pass)) {
    status.currentPodCliqueSetGenerationHash = pass.set.status.currentGenerationHash;
  }
  UpdateLastErrors(spec_outcome, pass.context.Now(), status.lastErrors);
  UpdateFailure(pass.context.config, FailureIn(pass, spec_outcome), pass.group.generation(),
                pass.context.Now(), status.conditions);
  return status;
}

base::Result<StepOutcome> UpdateStatus(Pass& pass, const StepOutcome& spec_outcome,
                                       kube::Debouncer& debouncer) {
  const int32_t scheduled_before = pass.group.status.scheduledReplicas;
  const ScalingGroupStatus status = ComputeStatus(pass, spec_outcome);
  if (status != pass.group.status && !pass.set.status.UpdateRunning() &&
      OnlyCountersDiffer(pass.group.status, status)) {
    const base::Duration delay =
        debouncer.Delay(pass.key(), api::grove::Write(status), pass.context.Elapsed());
    if (delay > base::Duration::zero()) {
      return StepOutcome::ContinueAndRequeue("the status write is debounced", delay);
    }
  }
  debouncer.Forget(pass.key());
  COPPICE_TRY(WriteStatus(pass, status));
  if (scheduled_before > 0 && pass.group.status.scheduledReplicas == 0) {
    pass.context.Event(
        pass.group.object, "Warning", "AllScheduledReplicasLost",
        fmt::format("All scheduled replicas lost (was {}). Gang termination will fire "
                    "after TerminationDelay if the PCSG stays below MinAvailable; "
                    "investigate node availability or capacity.",
                    scheduled_before));
  }
  return StepOutcome::Done();
}

}  // namespace coppice::operators::scalinggroup
