#include "operator/podclique/rolling_update.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/view/grove.h"
#include "kube/object.h"
#include "operator/podclique/pod_facts.h"
#include "operator/podclique/pods.h"
#include "operator/runtime/labels.h"
#include "operator/runtime/metadata.h"

namespace coppice::operators::podclique {
namespace {

using api::grove::PodCliqueStatus;
using api::grove::PodCliqueUpdateProgress;

bool IsOurTurn(const Pass& pass) {
  if (!pass.set.spec.UpdatesByItself() || !pass.set.status.UpdateRunning()) return true;
  const auto* current = pass.set.status.CurrentlyUpdating();
  return current != nullptr && current->replicaIndex == pass.replica();
}

bool RecordIsDue(const Pass& pass) {
  const auto& target = pass.set.status.currentGenerationHash;
  if (!target) return false;
  const auto& progress = pass.clique.status.updateProgress;
  if (progress) return progress->podCliqueSetGenerationHash != *target;
  return pass.clique.status.currentPodCliqueSetGenerationHash != target;
}

// Pods of another template than the one being rolled out, which are not being deleted yet.
struct Outdated {
  std::vector<json::Value> ready;  // Oldest first.
  std::vector<json::Value> not_ready;
};

Outdated FindOutdated(const Pass& pass) {
  Outdated outdated;
  for (const json::Value& pod : pass.pods) {
    if (TemplateHash(pod) == pass.expected_hash || IsBeingDeleted(pass, pod)) continue;
    const bool healthy = Phase(pod) != "Pending" && !IsStartedButNotReady(pod) &&
                         !HasFailedBefore(pod) && IsReady(pod);
    (healthy ? outdated.ready : outdated.not_ready).push_back(pod);
  }
  std::stable_sort(
      outdated.ready.begin(), outdated.ready.end(),
      [](const json::Value& a, const json::Value& b) { return CreatedAt(a) < CreatedAt(b); });
  return outdated;
}

size_t ReadyAndUpToDate(const Pass& pass) {
  return static_cast<size_t>(
      std::count_if(pass.pods.begin(), pass.pods.end(), [&](const json::Value& pod) {
        return TemplateHash(pod) == pass.expected_hash && !kube::IsDeleting(pod) && IsReady(pod);
      }));
}

// According to the pods; the status may be older.
int32_t ReadyPods(const Pass& pass) {
  return static_cast<int32_t>(std::count_if(
      pass.pods.begin(), pass.pods.end(),
      [&](const json::Value& pod) { return IsReady(pod) && !IsBeingDeleted(pass, pod); }));
}

bool IsLive(const Pass& pass, std::string_view name) {
  return std::any_of(pass.pods.begin(), pass.pods.end(), [&](const json::Value& pod) {
    return kube::Name(pod) == name && !IsBeingDeleted(pass, pod);
  });
}

// The pod that was selected for deletion but still exists: its delete failed, or the process ended
// first.
const json::Value* Overdue(const Outdated& outdated, const PodCliqueUpdateProgress& progress) {
  if (!progress.readyPodsSelectedToUpdate) return nullptr;
  for (const json::Value& pod : outdated.ready) {
    if (kube::Name(pod) == progress.readyPodsSelectedToUpdate->current) return &pod;
  }
  return nullptr;
}

// Our gangs request the nodes of recreated pods. That request must exist before the first
// replacement is created.
bool PlacesAreKnown(const Pass& pass) {
  if (!pass.context.config.policy().ReusesPlacesInUpdates()) return true;
  const auto gang = pass.context.gangs.Get({pass.clique.ns(), pass.clique.label(labels::kPodGang)});
  return gang && view::grove::PodGang(*gang).spec().reuseReservationRef();
}

// The selected pod is gone and its replacement is ready.
bool SelectionFinished(const Pass& pass, const PodCliqueUpdateProgress& progress) {
  const auto& selected = progress.readyPodsSelectedToUpdate;
  if (!selected) return true;
  return !IsLive(pass, selected->current) &&
         ReadyAndUpToDate(pass) >= selected->completed.size() + 1;
}

StepOutcome ReplaceOne(Pass& pass, const json::Value& pod) {
  auto& selected = pass.clique.status.updateProgress->readyPodsSelectedToUpdate;
  if (selected) {
    selected->completed.push_back(selected->current);
  } else {
    selected.emplace();
  }
  selected->current = kube::Name(pod);
  // Record the selected pod before deleting it, so that after a restart no other pod is selected.
  OPERATOR_TRY("ERR_UPDATE_PODCLIQUE_STATUS", "Sync", WriteStatus(pass));
  OPERATOR_TRY("ERR_DELETE_POD", "Sync", DeletePod(pass, pod));
  return StepOutcome::ContinueAndRequeue(fmt::format("pod {} is being replaced", kube::Name(pod)));
}

void EndUpdate(Pass& pass) {
  PodCliqueUpdateProgress& progress = *pass.clique.status.updateProgress;
  progress.updateEndedAt = base::FormatRfc3339(pass.context.Now());
  progress.readyPodsSelectedToUpdate.reset();
}

}  // namespace

void StartUpdate(Pass& pass) {
  // A scaling group updates its cliques by replacing them. In manual updates, pods are replaced in
  // any clique.
  if (pass.set.spec.UpdatesByItself() && !pass.standalone()) {
    pass.clique.status.updateProgress.reset();  // Left over from manual updates.
    return;
  }
  if (!IsOurTurn(pass) || !RecordIsDue(pass)) return;
  // Pods are created from the clique, so until the clique has the new template they would be
  // outdated again.
  if (pass.clique.label(labels::kTemplateHash) != pass.expected_hash) return;
  PodCliqueStatus& status = pass.clique.status;
  PodCliqueUpdateProgress& progress = status.updateProgress.emplace();
  progress.updateStartedAt = base::FormatRfc3339(pass.context.Now());
  progress.podCliqueSetGenerationHash = *pass.set.status.currentGenerationHash;
  progress.podTemplateHash = pass.expected_hash;
  if (!pass.set.spec.UpdatesByItself()) progress.updateEndedAt = progress.updateStartedAt;
  status.updatedReplicas = 0;
}

StepOutcome ReplaceOutdatedPods(Pass& pass) {
  const auto& progress = pass.clique.status.updateProgress;
  if (!pass.set.spec.UpdatesByItself() || !progress || !progress->Running()) {
    return StepOutcome::Done();
  }
  const Outdated outdated = FindOutdated(pass);
  const bool any = !outdated.ready.empty() || !outdated.not_ready.empty();
  if (any && pass.set.status.UpdateRunning() && !PlacesAreKnown(pass)) {
    return StepOutcome::ContinueAndRequeue("the gang does not know of the update yet");
  }
  for (const json::Value& pod : outdated.not_ready) {
    OPERATOR_TRY("ERR_DELETE_POD", "Sync", DeletePod(pass, pod));
  }
  if (const json::Value* pod = Overdue(outdated, *progress)) {
    OPERATOR_TRY("ERR_DELETE_POD", "Sync", DeletePod(pass, *pod));
  }
  if (!SelectionFinished(pass, *progress)) {
    return StepOutcome::ContinueAndRequeue("a replaced pod has no ready successor yet");
  }
  if (outdated.ready.empty()) {
    EndUpdate(pass);
    return StepOutcome::Done();
  }
  if (ReadyPods(pass) < pass.clique.spec.MinAvailable()) {
    return StepOutcome::ContinueAndRequeue("fewer pods than the minimum are ready");
  }
  return ReplaceOne(pass, outdated.ready.front());
}

}  // namespace coppice::operators::podclique
