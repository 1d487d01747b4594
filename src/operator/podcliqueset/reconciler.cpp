#include "operator/podcliqueset/reconciler.h"

#include "api/schema/errors/field_error.h"
#include "api/well_known.h"
#include "kube/cache/apply.h"
#include "kube/executor/priority.h"
#include "kube/object.h"
#include "operator/common/limits.h"
#include "operator/podcliqueset/components.h"
#include "operator/podcliqueset/set_status.h"
#include "operator/runtime/finish.h"
#include "operator/runtime/labels.h"
#include "operator/runtime/parallel.h"

namespace coppice::operators::podcliqueset {

namespace {

constexpr base::Duration kStartDelay = std::chrono::milliseconds(200);

}  // namespace

using api::grove::PodCliqueSet;

base::Result<kube::Requeue> SetReconciler::Reconcile(const api::ObjectKey& key) {
  std::optional<json::Value> object = context_.sets.Get(key);
  if (!object) {
    Forget(key);
    return kube::Requeue::Done();
  }
  PodCliqueSet set = api::grove::ReadPodCliqueSet(*std::move(object));
  if (set.deleting()) return Delete(set);
  if (auto excess = Excess(set); !excess.empty()) return TellExcess(set, std::move(excess));
  const Scope scope = TakeScope(set);
  StepOutcome outcome = SyncSpec(set, scope);
  if (outcome.proceeds()) {
    if (DeferStart(set)) return kube::Requeue::After(kStartDelay);
    outcome.Merge(SyncStart(set, scope));
  }
  const auto again = dirty_->Reconciled(key, outcome, context_.Elapsed());
  const Counts counts = replica_counts_.Count(context_, set, scope);
  COPPICE_ASSIGN(const StepOutcome told, UpdateStatus(context_, set, outcome, counts, debouncer_));
  outcome.Merge(told);
  if (again) outcome.Merge(StepOutcome::ContinueAndRequeue("all replicas are due", *again));
  return Finish(outcome);
}

// Only a change of the set can help, and triggers a reconcile. Until then existing objects stay as
// they are.
base::Result<kube::Requeue> SetReconciler::TellExcess(PodCliqueSet& set,
                                                      std::vector<base::FieldCause> excess) {
  set.spec.replicas = set.status.replicas;
  const StepOutcome outcome =
      StepOutcome::Failed("ERR_SYNC_PODCLIQUESET", "Sync",
                          base::Error(base::ErrorCode::kInvalid, api::Describe(excess)));
  const Counts counts = replica_counts_.Count(context_, set, Scope::All());
  COPPICE_ASSIGN(const StepOutcome told, UpdateStatus(context_, set, outcome, counts, debouncer_));
  return Finish(told);
}

void SetReconciler::Forget(const api::ObjectKey& key) {
  debouncer_.Forget(key);
  dirty_->Forget(key);
  replica_counts_.Forget(key);
  const std::lock_guard lock(mutex_);
  deferred_.erase(key);
}

// Whether to leave what lets the pods of a new set start to its next reconcile, which its first
// pods trigger: it would delay the creation of the other pods. Once per generation.
bool SetReconciler::DeferStart(const PodCliqueSet& set) {
  if (set.status.observedGeneration == set.generation()) return false;
  if (!context_.config.policy().DefersRestOfNewSets()) return false;
  if (!context_.runtime.priorities.AnyHigherThan(kube::Priority::kHigh)) return false;
  const auto selection = context_.backends.Select(set.object);
  if (!selection || selection->backend->PodsNeedGang()) return false;
  const api::ObjectKey key{set.ns(), set.name()};
  {
    const std::lock_guard lock(mutex_);
    int64_t& deferred = deferred_[key];
    if (std::exchange(deferred, set.generation()) == set.generation()) return false;
  }
  dirty_->MarkDirty(key, std::nullopt);
  return true;
}

// An update moves from replica to replica, and resources that are not watched (claims,
// ComputeDomains) need a reconcile of the whole set.
Scope SetReconciler::TakeScope(const PodCliqueSet& set) {
  Scope dirty = dirty_->Take({set.ns(), set.name()}, context_.Elapsed());
  const bool whole = set.status.observedGeneration != set.generation() ||
                     set.status.UpdateRunning() || !set.spec.template_.resourceSharing.empty() ||
                     context_.config.auto_mnnvl;
  return whole ? Scope::All() : dirty;
}

// Garbage collection deletes everything else through owner references.
base::Result<kube::Requeue> SetReconciler::Delete(const PodCliqueSet& set) {
  if (!kube::HasFinalizer(set.object, api::finalizers::kPodCliqueSet)) return kube::Requeue::Done();
  for (const json::Value& gang : context_.OwnedBy(context_.gangs, set.uid())) {
    missing_pods_.Forget(kube::KeyOf(gang));
  }
  const StepOutcome domains = DeleteComputeDomains(context_, set);
  if (!domains.done()) return Finish(domains);
  COPPICE_TRY(kube::RemoveFinalizer(context_.client(), api::kPodCliqueSets, set.object,
                                    api::finalizers::kPodCliqueSet));
  return kube::Requeue::Done();
}

StepOutcome SetReconciler::SyncSpec(PodCliqueSet& set, const Scope& scope) {
  auto kept = kube::AddFinalizer(context_.client(), api::kPodCliqueSets, set.object,
                                 api::finalizers::kPodCliqueSet);
  OPERATOR_TRY("ERR_SYNC_PODCLIQUESET", "Sync", kept);
  set.object = std::move(kept->object);
  const StepOutcome hash = SyncGenerationHash(context_, set);
  if (!hash.proceeds()) return hash;
  return SyncComponents(set, scope);
}

// Kinds within a group are independent of each other; later groups need the earlier ones.
StepOutcome SetReconciler::SyncComponents(PodCliqueSet& set, const Scope& scope) {
  StepOutcome outcome = scope.all() ? SyncWholeSet(set) : StepOutcome::Done();
  outcome.Merge(SyncTokenSecret(context_, set));
  outcome.Merge(SyncReplicas(context_, set, scope));
  if (!outcome.proceeds()) return outcome;
  outcome.Merge(SyncCliques(set, scope));
  if (!outcome.proceeds()) return outcome;
  outcome.Merge(SyncScalingGroups(context_, set, scope));
  return outcome;
}

// The objects that pods need in order to start.
StepOutcome SetReconciler::SyncStart(const PodCliqueSet& set, const Scope& scope) {
  StepOutcome outcome = SyncServices(set, scope);
  if (!outcome.proceeds()) return outcome;
  outcome.Merge(podgang::SyncPodGangs(context_, set, scope, missing_pods_));
  return outcome;
}

// Pods of the first replicas are created while the cliques of the others are still being written.
StepOutcome SetReconciler::SyncCliques(const PodCliqueSet& set, const Scope& scope) {
  if (scope.all()) {
    const StepOutcome deleted = DeleteSurplusCliques(context_, set);
    if (!deleted.proceeds()) return deleted;
  }
  const std::vector<int> replicas = scope.Of(set.spec.replicas);
  std::optional<kube::PriorityScope> creating;
  if (set.status.observedGeneration != set.generation()) {
    creating.emplace(context_.runtime.priorities, kube::Priority::kHighest);
  }
  return MergeInParallel(
      context_.runtime, kube::Priority::kHighest, replicas.size(),
      [&](size_t i) { return SyncStandaloneCliques(context_, set, replicas[i]); });
}

// After the cliques, because pods are created without waiting for services; and before the gangs,
// because pods do not start without those.
StepOutcome SetReconciler::SyncServices(const PodCliqueSet& set, const Scope& scope) {
  if (scope.all()) {
    const StepOutcome deleted = DeleteSurplusServices(context_, set);
    if (!deleted.proceeds()) return deleted;
  }
  const std::vector<int> replicas = scope.Of(set.spec.replicas);
  return MergeInParallel(context_.runtime, kube::Priority::kHigh, replicas.size(),
                         [&](size_t i) { return SyncHeadlessService(context_, set, replicas[i]); });
}

StepOutcome SetReconciler::SyncWholeSet(const PodCliqueSet& set) {
  StepOutcome outcome = StepOutcome::Done();
  outcome.Merge(SyncServiceAccount(context_, set));
  outcome.Merge(SyncRole(context_, set));
  outcome.Merge(SyncRoleBinding(context_, set));
  outcome.Merge(SyncAutoscalers(context_, set));
  outcome.Merge(SyncComputeDomains(context_, set));
  outcome.Merge(SyncResourceClaims(context_, set));
  return outcome;
}

}  // namespace coppice::operators::podcliqueset
