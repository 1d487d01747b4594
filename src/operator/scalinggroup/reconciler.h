#pragma once

#include <memory>

#include "kube/controller/debouncer.h"
#include "kube/controller/reconciler.h"
#include "kube/process/manager.h"
#include "operator/runtime/context.h"
#include "operator/runtime/step_outcome.h"
#include "operator/scalinggroup/pass.h"

namespace coppice::operators::scalinggroup {

inline constexpr char kControllerName[] = "podcliquescalinggroup-controller";

// PodCliqueScalingGroup → the PodCliques of its replicas.
class GroupReconciler final : public kube::Reconciler {
 public:
  explicit GroupReconciler(std::shared_ptr<const Context> context)
      : shared_(std::move(context)),
        context_(*shared_),
        debouncer_({.priorities = &context_.runtime.priorities}) {}
  base::Result<kube::Requeue> Reconcile(const api::ObjectKey& key) override;

 private:
  StepOutcome SyncSpec(Pass& pass);

  const std::shared_ptr<const Context> shared_;
  const Context& context_;
  kube::Debouncer debouncer_;
};

// Adds the controller and its watches.
void AddController(kube::Manager& manager, const std::shared_ptr<const Context>& context);

}  // namespace coppice::operators::scalinggroup
