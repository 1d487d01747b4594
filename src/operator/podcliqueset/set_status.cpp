#include "operator/podcliqueset/set_status.h"

#include "api/grove/convert.h"
#include "api/well_known.h"
#include "kube/apply.h"
#include "operator/common/children.h"
#include "operator/common/hash.h"
#include "operator/common/labels.h"
#include "operator/common/last_errors.h"
#include "operator/podcliqueset/adoption.h"
#include "operator/topology/condition.h"

namespace coppice::operators::podcliqueset {
namespace {

using api::grove::PodClique;
using api::grove::PodCliqueScalingGroup;
using api::grove::PodCliqueSet;
using api::grove::PodCliqueSetStatus;

struct Counts {
  int32_t available = 0;
  int32_t updated = 0;
  int32_t cliques = 0, updated_cliques = 0;
  int32_t groups = 0, updated_groups = 0;
};

bool IsUpdated(const PodCliqueSet& set, const PodCliqueScalingGroup& group) {
  return set.status.currentGenerationHash.has_value() &&
         group.status.currentPodCliqueSetGenerationHash == set.status.currentGenerationHash;
}

void CountReplica(const PodCliqueSet& set, const SetChildren& children, int i, Counts& counts) {
  bool available = true;
  bool updated = true;
  for (const std::string& name : StandaloneCliqueNames(set, i)) {
    const PodClique* clique = children.FindClique(name);
    const bool converged = clique != nullptr && IsConverged(set, *clique);
    available &= clique != nullptr && clique->status.readyReplicas >= clique->spec.MinAvailable();
    updated &= converged;
    ++counts.cliques;
    counts.updated_cliques += converged;
  }
  for (const std::string& name : ScalingGroupNames(set, i)) {
    const PodCliqueScalingGroup* group = children.FindGroup(name);
    const bool done = group != nullptr && IsUpdated(set, *group);
    available &= group != nullptr && group->status.availableReplicas >= group->spec.MinAvailable();
    updated &= done;
    ++counts.groups;
    counts.updated_groups += done;
  }
  counts.available += available;
  counts.updated += available && updated;
}

Counts Count(const PodCliqueSet& set, const SetChildren& children) {
  Counts counts;
  for (int i = 0; i < set.spec.replicas; ++i) CountReplica(set, children, i, counts);
  return counts;
}

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

}  // namespace

base::Status WriteStatus(const Context& context, PodCliqueSet& set,
                         const PodCliqueSetStatus& status) {
  if (status == set.status) return {};
  COPPICE_ASSIGN(kube::Applied written, kube::PatchStatus(context.client(), api::kPodCliqueSets,
                                                          set.object, api::grove::Write(status)));
  set = api::grove::ReadPodCliqueSet(std::move(written.object));
  return {};
}

Outcome SyncGenerationHash(const Context& context, PodCliqueSet& set) {
  if (set.status.currentGenerationHash == GenerationHash(set)) return Outcome::Done();
  OPERATOR_TRY("ERR_SYNC_PODCLIQUESET", "Sync", AdoptFoundHashes(context, set));
  const std::string hash = GenerationHash(set);
  if (set.status.currentGenerationHash == hash) return Outcome::Done();
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
  return Outcome::Done();
}

base::Result<Outcome> UpdateStatus(const Context& context, PodCliqueSet& set,
                                   const Outcome& spec_outcome, kube::StatusPacer& pacer) {
  PodCliqueSetStatus status = set.status;
  ApplyCounts(set, Count(set, ReadChildren(context, set)), status);
  topology::UpdateCondition(context, set, status.conditions);
  status.hpaPodSelector = Selector(DefaultLabels(set.name()));
  if (spec_outcome.proceeds()) status.observedGeneration = set.generation();
  UpdateLastErrors(spec_outcome, context.Now(), status.lastErrors);
  const api::ObjectKey key{set.ns(), set.name()};
  if (status != set.status && OnlyCountersDiffer(set.status, status)) {
    const base::Duration rest = pacer.Rest(key, api::grove::Write(status), context.Now());
    if (rest > base::Duration::zero()) {
      return Outcome::ContinueAndRequeue("the status rests", rest);
    }
  }
  pacer.Forget(key);
  COPPICE_TRY(WriteStatus(context, set, status));
  return Outcome::Done();
}

}  // namespace coppice::operators::podcliqueset
