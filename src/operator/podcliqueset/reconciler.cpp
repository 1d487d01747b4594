#include "operator/podcliqueset/reconciler.h"

#include "api/well_known.h"
#include "kube/object.h"
#include "operator/common/finish.h"
#include "operator/common/labels.h"
#include "operator/podcliqueset/components.h"
#include "operator/podcliqueset/set_status.h"
#include "operator/podgang/sync.h"

namespace coppice::operators::podcliqueset {

using api::grove::PodCliqueSet;

base::Result<kube::Requeue> SetReconciler::Reconcile(const api::ObjectKey& key) {
  std::optional<json::Value> object = context_.sets.Get(key);
  if (!object) return kube::Requeue::Done();
  PodCliqueSet set = api::grove::ReadPodCliqueSet(*std::move(object));
  if (set.deleting()) return Delete(set);
  const Outcome outcome = SyncSpec(set);
  COPPICE_TRY(UpdateStatus(context_, set, outcome));
  return Finish(outcome);
}

// Everything else goes by garbage collection, through owner references.
base::Result<kube::Requeue> SetReconciler::Delete(const PodCliqueSet& set) {
  if (!kube::HasFinalizer(set.object, kPodCliqueSetFinalizer)) return kube::Requeue::Done();
  const Outcome domains = DeleteComputeDomains(context_, set);
  if (!domains.done()) return Finish(domains);
  COPPICE_TRY(context_.writer().RemoveFinalizer(api::kPodCliqueSets, set.object,
                                                kPodCliqueSetFinalizer));
  return kube::Requeue::Done();
}

Outcome SetReconciler::SyncSpec(PodCliqueSet& set) {
  OPERATOR_TRY("ERR_SYNC_PODCLIQUESET", "Sync",
               context_.writer().AddFinalizer(api::kPodCliqueSets, set.object,
                                              kPodCliqueSetFinalizer));
  const Outcome hash = SyncGenerationHash(context_, set);
  if (!hash.proceeds()) return hash;
  return SyncComponents(set);
}

// Kinds within a group are independent of each other; later groups need the earlier ones.
Outcome SetReconciler::SyncComponents(PodCliqueSet& set) {
  Outcome outcome = Outcome::Done();
  outcome.Merge(SyncServiceAccount(context_, set));
  outcome.Merge(SyncRole(context_, set));
  outcome.Merge(SyncRoleBinding(context_, set));
  outcome.Merge(SyncTokenSecret(context_, set));
  outcome.Merge(SyncHeadlessServices(context_, set));
  outcome.Merge(SyncAutoscalers(context_, set));
  outcome.Merge(SyncReplicas(context_, set));
  outcome.Merge(SyncComputeDomains(context_, set));
  outcome.Merge(SyncResourceClaims(context_, set));
  if (!outcome.proceeds()) return outcome;
  outcome.Merge(SyncStandaloneCliques(context_, set));
  if (!outcome.proceeds()) return outcome;
  outcome.Merge(SyncScalingGroups(context_, set));
  outcome.Merge(podgang::SyncPodGangs(context_, set));
  return outcome;
}

}  // namespace coppice::operators::podcliqueset
