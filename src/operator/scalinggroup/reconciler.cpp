#include "operator/scalinggroup/reconciler.h"

#include "api/well_known.h"
#include "kube/cache/apply.h"
#include "kube/object.h"
#include "operator/common/children.h"
#include "operator/common/limits.h"
#include "operator/common/names.h"
#include "operator/common/resource_claims.h"
#include "operator/runtime/finish.h"
#include "operator/runtime/labels.h"
#include "operator/scalinggroup/group_status.h"
#include "operator/scalinggroup/members.h"
#include "operator/scalinggroup/rolling_update.h"
#include "operator/scalinggroup/termination.h"

namespace coppice::operators::scalinggroup {
namespace {

using api::grove::PodClique;
using api::grove::PodCliqueScalingGroup;

std::map<std::string, PodClique> ReadCliques(const Context& context, const std::string& uid) {
  std::map<std::string, PodClique> cliques;
  for (json::Value& object : context.OwnedBy(context.cliques, uid)) {
    if (kube::IsDeleting(object)) continue;
    PodClique clique = api::grove::ReadPodClique(std::move(object));
    cliques.emplace(clique.name(), std::move(clique));
  }
  return cliques;
}

StepOutcome SyncResourceClaims(const Pass& pass) {
  return SyncClaims(pass.context, pass.set, GroupClaims(pass.config, pass.group));
}

}  // namespace

base::Result<kube::Requeue> GroupReconciler::Reconcile(const api::ObjectKey& key) {
  std::optional<json::Value> object = context_.groups.Get(key);
  if (!object || kube::Label(*object, labels::kManagedBy) != labels::kOperator) {
    debouncer_.Forget(key);
    return kube::Requeue::Done();
  }
  PodCliqueScalingGroup group = api::grove::ReadScalingGroup(*std::move(object));
  if (group.deleting()) {
    COPPICE_TRY(kube::RemoveFinalizer(context_.client(), api::kPodCliqueScalingGroups, group.object,
                                      api::finalizers::kScalingGroup));
    return kube::Requeue::Done();
  }
  const auto set = context_.Set(group.ns(), group.label(labels::kPartOf));
  const auto* config =
      set ? set->spec.template_.FindGroup(names::GroupConfigName(group.object)) : nullptr;
  // A group without its set waits for garbage collection, or for the cache.
  if (config == nullptr || set->deleting()) return kube::Requeue::After(kPollInterval);
  if (!IsTemplateKnown(*set)) return kube::Requeue::After(kPollInterval);
  auto cliques = ReadCliques(context_, group.uid());
  Pass pass{context_, std::move(group), *set, *config, std::move(cliques)};
  auto excess = Excess("PodCliqueScalingGroup", pass.group.spec.replicas);
  // Existing objects stay as they are, and the status describes them.
  if (excess) pass.group.spec.replicas = pass.group.status.replicas;
  StepOutcome outcome =
      excess ? StepOutcome::Failed("ERR_SYNC_PODCLIQUESCALINGGROUP", "Sync", *std::move(excess))
             : SyncSpec(pass);
  COPPICE_ASSIGN(const StepOutcome told, UpdateStatus(pass, outcome, debouncer_));
  outcome.Merge(told);
  return Finish(outcome);
}

StepOutcome GroupReconciler::SyncSpec(Pass& pass) {
  auto kept = kube::AddFinalizer(context_.client(), api::kPodCliqueScalingGroups, pass.group.object,
                                 api::finalizers::kScalingGroup);
  OPERATOR_TRY("ERR_SYNC_PODCLIQUESCALINGGROUP", "Sync", kept);
  pass.group.object = std::move(kept->object);
  StepOutcome outcome = SyncUpdateRecord(pass);
  if (!outcome.proceeds()) return outcome;
  outcome.Merge(SyncResourceClaims(pass));
  if (!outcome.proceeds()) return outcome;
  outcome.Merge(ScaleIn(pass));
  if (!outcome.proceeds()) return outcome;
  outcome.Merge(SyncMembers(pass));
  if (!outcome.proceeds()) return outcome;
  if (!pass.UpdateRunning()) {
    outcome.Merge(TerminateBreachedReplicas(pass));
  } else if (pass.set.spec.UpdatesByItself()) {
    outcome.Merge(ReplaceOutdatedReplicas(pass));
  }
  return outcome;
}

}  // namespace coppice::operators::scalinggroup
