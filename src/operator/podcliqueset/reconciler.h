#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "kube/controller/debouncer.h"
#include "kube/controller/reconciler.h"
#include "kube/process/manager.h"
#include "operator/common/dirty_replicas.h"
#include "operator/common/scope.h"
#include "operator/podcliqueset/replica_counts.h"
#include "operator/podgang/sync.h"
#include "operator/runtime/context.h"
#include "operator/runtime/step_outcome.h"

namespace coppice::operators::podcliqueset {

inline constexpr char kControllerName[] = "podcliqueset-controller";

// PodCliqueSet → everything it consists of, except member PodCliques (created by scaling groups)
// and pods (created by PodCliques).
class SetReconciler final : public kube::Reconciler {
 public:
  SetReconciler(std::shared_ptr<const Context> context, std::shared_ptr<DirtyReplicas> dirty)
      : shared_(std::move(context)),
        context_(*shared_),
        dirty_(std::move(dirty)),
        debouncer_({.priorities = &context_.runtime.priorities}),
        missing_pods_({std::chrono::seconds(1), std::chrono::seconds(3),
                       &context_.runtime.priorities, kube::Priority::kHigh}) {}
  base::Result<kube::Requeue> Reconcile(const api::ObjectKey& key) override;

 private:
  void Forget(const api::ObjectKey& key);
  base::Result<kube::Requeue> Delete(const api::grove::PodCliqueSet& set);
  base::Result<kube::Requeue> TellExcess(api::grove::PodCliqueSet& set,
                                         std::vector<base::FieldCause> excess);
  Scope TakeScope(const api::grove::PodCliqueSet& set);
  StepOutcome SyncSpec(api::grove::PodCliqueSet& set, const Scope& scope);
  StepOutcome SyncComponents(api::grove::PodCliqueSet& set, const Scope& scope);
  StepOutcome SyncStart(const api::grove::PodCliqueSet& set, const Scope& scope);
  bool DeferStart(const api::grove::PodCliqueSet& set);
  StepOutcome SyncCliques(const api::grove::PodCliqueSet& set, const Scope& scope);
  StepOutcome SyncServices(const api::grove::PodCliqueSet& set, const Scope& scope);
  StepOutcome SyncWholeSet(const api::grove::PodCliqueSet& set);

  const std::shared_ptr<const Context> shared_;
  const Context& context_;
  const std::shared_ptr<DirtyReplicas> dirty_;
  ReplicaCounts replica_counts_;
  kube::Debouncer debouncer_;
  // A gang whose pods are still being created is written when none has appeared for a second.
  kube::Debouncer missing_pods_;
  std::mutex mutex_;                            // Guards deferred_.
  std::map<api::ObjectKey, int64_t> deferred_;  // The generation whose start was deferred.
};

// Adds the controller and its watches.
void AddController(kube::Manager& manager, const std::shared_ptr<const Context>& context);

}  // namespace coppice::operators::podcliqueset
