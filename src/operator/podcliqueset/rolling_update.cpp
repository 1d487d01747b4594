#include "operator/podcliqueset/rolling_update.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "operator/podcliqueset/set_status.h"

namespace coppice::operators::podcliqueset {
namespace {

using api::grove::PodClique;
using api::grove::PodCliqueScalingGroup;
using api::grove::PodCliqueSet;

struct ReplicaInfo {
  int index;
  bool done;
  bool idle;  // None of its pods is scheduled.
  bool breached;
};

bool IsDone(const PodCliqueSet& set, const SetChildren& children, int i) {
  for (const std::string& name : StandaloneCliqueNames(set, i)) {
    const PodClique* clique = children.FindClique(name);
    if (clique == nullptr || !IsConverged(set, *clique)) return false;
  }
  for (const std::string& name : ScalingGroupNames(set, i)) {
    const PodCliqueScalingGroup* group = children.FindGroup(name);
    if (group == nullptr ||
        group->status.currentPodCliqueSetGenerationHash != set.status.currentGenerationHash) {
      return false;
    }
  }
  return true;
}

bool IsIdle(const PodCliqueSet& set, const SetChildren& children, int i) {
  for (const std::string& name : StandaloneCliqueNames(set, i)) {
    const PodClique* clique = children.FindClique(name);
    if (clique != nullptr && clique->status.scheduledReplicas > 0) return false;
  }
  for (const std::string& name : ScalingGroupNames(set, i)) {
    const PodCliqueScalingGroup* group = children.FindGroup(name);
    if (group != nullptr && group->status.scheduledReplicas > 0) return false;
  }
  return true;
}

std::vector<ReplicaInfo> ReadReplicas(const PodCliqueSet& set, const SetChildren& children,
                                      const TerminationResult& termination) {
  std::vector<ReplicaInfo> infos;
  for (int i = 0; i < set.spec.replicas; ++i) {
    if (termination.terminated.contains(i)) continue;
    infos.push_back(
        {i, IsDone(set, children, i), IsIdle(set, children, i), termination.breached.contains(i)});
  }
  return infos;
}

const ReplicaInfo* Find(const std::vector<ReplicaInfo>& infos, int index) {
  for (const ReplicaInfo& info : infos) {
    if (info.index == index) return &info;
  }
  return nullptr;
}

const ReplicaInfo* PickNext(const std::vector<ReplicaInfo>& infos) {
  const auto rank = [](const ReplicaInfo& info) {
    return std::tuple(info.done, !info.idle, !info.breached, info.index);
  };
  const auto next = std::min_element(
      infos.begin(), infos.end(),
      [&](const ReplicaInfo& a, const ReplicaInfo& b) { return rank(a) < rank(b); });
  return next == infos.end() || next->done ? nullptr : &*next;
}

}  // namespace

StepOutcome AdvanceUpdate(const Context& context, PodCliqueSet& set, const SetChildren& children,
                          const TerminationResult& termination) {
  const auto infos = ReadReplicas(set, children, termination);
  if (const auto* current = set.status.CurrentlyUpdating()) {
    const ReplicaInfo* info = Find(infos, current->replicaIndex);
    if (info != nullptr && !info->done) {
      return StepOutcome::ContinueAndRequeue(
          fmt::format("replica {} is being updated", info->index));
    }
  }
  api::grove::PodCliqueSetStatus status = set.status;
  const std::string now = base::FormatRfc3339(context.Now());
  const ReplicaInfo* next = PickNext(infos);
  status.updateProgress->currentlyUpdating.clear();
  if (next != nullptr) {
    status.updateProgress->currentlyUpdating.push_back({next->index, now, std::nullopt});
  } else if (termination.terminated.empty()) {
    status.updateProgress->updateEndedAt = now;
  }
  // When the status says that a replica is done, the counters must include it.
  ApplyCounts(set, CountReplicas(set, children), status);
  OPERATOR_TRY("ERR_UPDATE_PCS_STATUS", "Sync", WriteStatus(context, set, status));
  if (next == nullptr) return StepOutcome::Done();
  return StepOutcome::ContinueAndRequeue(fmt::format("replica {} is updated next", next->index));
}

}  // namespace coppice::operators::podcliqueset
