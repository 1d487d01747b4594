#include "operator/podclique/reconciler.h"

#include <fmt/format.h>

#include "api/well_known.h"
#include "kube/cache/apply.h"
#include "kube/object.h"
#include "operator/common/children.h"
#include "operator/common/limits.h"
#include "operator/common/names.h"
#include "operator/common/resource_claims.h"
#include "operator/podclique/gates.h"
#include "operator/podclique/pod_facts.h"
#include "operator/podclique/pods.h"
#include "operator/podclique/rolling_update.h"
#include "operator/runtime/finish.h"
#include "operator/runtime/labels.h"

namespace coppice::operators::podclique {
namespace {

using api::grove::PodClique;

std::set<int> Indices(const Pass& pass) {
  std::set<int> indices;
  for (const json::Value& pod : pass.pods) {
    if (const auto index = IndexOf(pod)) indices.insert(*index);
  }
  return indices;
}

StepOutcome SyncResourceClaims(const Pass& pass) {
  const auto* clique =
      pass.set.spec.template_.FindClique(names::CliqueTemplateName(pass.clique.object));
  if (clique == nullptr || clique->resourceSharing.empty()) return StepOutcome::Done();
  return SyncClaims(pass.context, pass.set, CliqueClaims(*clique, pass.clique, Indices(pass)));
}

}  // namespace

base::Result<kube::Requeue> CliqueReconciler::Reconcile(const api::ObjectKey& key) {
  std::optional<json::Value> object = context_.cliques.Get(key);
  if (!object) {
    debouncers_.Forget(key);
    return kube::Requeue::Done();
  }
  PodClique clique = api::grove::ReadPodClique(*std::move(object));
  if (kube::Label(clique.object, labels::kManagedBy) != labels::kOperator)
    return kube::Requeue::Done();
  if (clique.deleting()) return Delete(clique);
  auto set = context_.Set(clique.ns(), clique.label(labels::kPartOf));
  // A clique without its set waits for garbage collection, or for the cache.
  if (!set || set->deleting()) return kube::Requeue::After(kPollInterval);
  if (!IsTemplateKnown(*set)) return kube::Requeue::After(kPollInterval);
  const auto hash = ExpectedTemplateHash(*set, clique.object);
  if (!hash) {
    return base::NotFound(fmt::format("PodCliqueSet {} has no template for PodClique {}",
                                      set->name(), clique.name()));
  }
  std::vector<json::Value> pods = context_.OwnedBy(context_.pods, clique.uid());
  Pass pass{context_, std::move(clique), *std::move(set), std::move(pods), *hash};
  StepOutcome outcome = SyncSpec(pass);
  COPPICE_ASSIGN(const StepOutcome told, UpdateStatus(pass, outcome, debouncers_));
  outcome.Merge(told);
  return Finish(outcome);
}

// Garbage collection deletes pods and claims.
base::Result<kube::Requeue> CliqueReconciler::Delete(const PodClique& clique) {
  debouncers_.Forget({clique.ns(), clique.name()});
  COPPICE_TRY(kube::RemoveFinalizer(context_.client(), api::kPodCliques, clique.object,
                                    api::finalizers::kPodClique));
  return kube::Requeue::Done();
}

StepOutcome CliqueReconciler::SyncSpec(Pass& pass) {
  auto kept = kube::AddFinalizer(context_.client(), api::kPodCliques, pass.clique.object,
                                 api::finalizers::kPodClique);
  OPERATOR_TRY("ERR_SYNC_PODCLIQUE", "Sync", kept);
  if (auto excess = Excess("PodClique", pass.clique.spec.replicas)) {
    return StepOutcome::Failed("ERR_SYNC_PODCLIQUE", "Sync", *std::move(excess));
  }
  pass.clique.object = std::move(kept->object);
  StartUpdate(pass);
  StepOutcome outcome = SyncResourceClaims(pass);
  if (!outcome.proceeds()) return outcome;
  outcome.Merge(ScalePods(pass));
  outcome.Merge(ReleasePods(pass));
  if (!outcome.proceeds()) return outcome;
  outcome.Merge(ReplaceOutdatedPods(pass));
  return outcome;
}

}  // namespace coppice::operators::podclique
