#include "operator/scalinggroup/rolling_update.h"

#include <fmt/format.h>

#include <algorithm>

#include "operator/common/children.h"
#include "operator/runtime/labels.h"

namespace coppice::operators::scalinggroup {
namespace {

using api::grove::PodClique;
using api::grove::ScalingGroupStatus;
using api::grove::ScalingGroupUpdateProgress;

// Groups with manual updates have a record from the start, like their cliques.
bool IsOurTurn(const Pass& pass) {
  if (!pass.set.spec.UpdatesByItself()) return true;
  if (!pass.set.status.updateProgress) return false;
  const auto* current = pass.set.status.CurrentlyUpdating();
  return current != nullptr && current->replicaIndex == pass.set_replica();
}

bool IsUpToDate(const Pass& pass, int replica) {
  const auto cliques = pass.CliquesOf(replica);
  return pass.IsComplete(replica) &&
         std::all_of(cliques.begin(), cliques.end(), [&](const PodClique* clique) {
           return clique->label(labels::kTemplateHash) ==
                  ExpectedTemplateHash(pass.set, clique->object);
         });
}

bool IsAvailable(const Pass& pass, int replica) {
  const auto cliques = pass.CliquesOf(replica);
  return std::all_of(cliques.begin(), cliques.end(), [](const PodClique* clique) {
    const int32_t minimum = clique->spec.MinAvailable();
    return clique->status.scheduledReplicas >= minimum && clique->status.readyReplicas >= minimum;
  });
}

struct Outdated {
  std::vector<int> available;
  std::vector<int> unavailable;
};

Outdated FindOutdated(const Pass& pass) {
  const auto& selected = pass.group.status.updateProgress->readyReplicaIndicesSelectedToUpdate;
  Outdated outdated;
  for (int j = 0; j < pass.group.spec.replicas; ++j) {
    if (selected && selected->current == j) continue;
    // Being recreated, with the new template.
    if (pass.CliquesOf(j).empty() || IsUpToDate(pass, j)) continue;
    (IsAvailable(pass, j) ? outdated.available : outdated.unavailable).push_back(j);
  }
  return outdated;
}

bool SelectionFinished(const Pass& pass) {
  const auto& selected = pass.group.status.updateProgress->readyReplicaIndicesSelectedToUpdate;
  if (!selected || selected->current >= pass.group.spec.replicas) return true;
  if (!pass.IsComplete(selected->current)) return false;
  const auto cliques = pass.CliquesOf(selected->current);
  return std::all_of(cliques.begin(), cliques.end(),
                     [&](const PodClique* clique) { return IsConverged(pass.set, *clique); });
}

// Replicas that were deleted exist again, with the new template.
bool AllUpToDate(const Pass& pass) {
  if (!pass.context.config.policy().WaitsForRecreatedReplicas()) return true;
  for (int j = 0; j < pass.group.spec.replicas; ++j) {
    if (!IsUpToDate(pass, j)) return false;
  }
  return true;
}

int32_t AvailableReplicas(const Pass& pass) {
  int32_t available = 0;
  for (int j = 0; j < pass.group.spec.replicas; ++j) {
    available += pass.IsComplete(j) && IsAvailable(pass, j);
  }
  return available;
}

StepOutcome ReplaceOne(Pass& pass, int replica) {
  ScalingGroupStatus status = pass.group.status;
  auto& selected = status.updateProgress->readyReplicaIndicesSelectedToUpdate;
  if (selected) {
    selected->completed.push_back(selected->current);
  } else {
    selected.emplace();
  }
  selected->current = replica;
  OPERATOR_TRY("ERR_UPDATE_STATUS", "Sync", WriteStatus(pass, status));
  OPERATOR_TRY("ERR_DELETE_PODCLIQUE", "Sync", DeleteReplica(pass, replica));
  return StepOutcome::ContinueAndRequeue(fmt::format("replica {} is being replaced", replica));
}

StepOutcome EndUpdate(Pass& pass) {
  ScalingGroupStatus status = pass.group.status;
  status.updateProgress->updateEndedAt = base::FormatRfc3339(pass.context.Now());
  status.updateProgress->readyReplicaIndicesSelectedToUpdate.reset();
  OPERATOR_TRY("ERR_UPDATE_STATUS", "Sync", WriteStatus(pass, status));
  return StepOutcome::Done();
}

}  // namespace

StepOutcome SyncUpdateRecord(Pass& pass) {
  const auto& target = pass.set.status.currentGenerationHash;
  if (!target || !IsOurTurn(pass)) return StepOutcome::Done();
  const auto& present = pass.group.status.updateProgress;
  if (present && present->podCliqueSetGenerationHash == *target) return StepOutcome::Done();
  ScalingGroupStatus status = pass.group.status;
  ScalingGroupUpdateProgress& progress = status.updateProgress.emplace();
  progress.updateStartedAt = base::FormatRfc3339(pass.context.Now());
  progress.podCliqueSetGenerationHash = *target;
  if (!pass.set.spec.UpdatesByItself()) progress.updateEndedAt = progress.updateStartedAt;
  status.updatedReplicas = 0;
  OPERATOR_TRY("ERR_UPDATE_STATUS", "Sync", WriteStatus(pass, status));
  return StepOutcome::Done();
}

StepOutcome ReplaceOutdatedReplicas(Pass& pass) {
  const Outdated outdated = FindOutdated(pass);
  for (const int replica : outdated.unavailable) {
    OPERATOR_TRY("ERR_DELETE_PODCLIQUE", "Sync", DeleteReplica(pass, replica));
  }
  if (!SelectionFinished(pass)) {
    return StepOutcome::ContinueAndRequeue("a replaced replica is not ready yet");
  }
  if (outdated.available.empty()) {
    if (AllUpToDate(pass)) return EndUpdate(pass);
    return StepOutcome::ContinueAndRequeue("deleted replicas are not back yet");
  }
  if (AvailableReplicas(pass) < pass.group.spec.MinAvailable()) {
    return StepOutcome::ContinueAndRequeue("fewer replicas than the minimum are available");
  }
  return ReplaceOne(pass, outdated.available.front());
}

}  // namespace coppice::operators::scalinggroup
