#pragma once

#include "kube/manager.h"
#include "kube/reconciler.h"
#include "operator/common/context.h"
#include "operator/common/outcome.h"
#include "operator/scalinggroup/pass.h"

namespace coppice::operators::scalinggroup {

inline constexpr char kControllerName[] = "podcliquescalinggroup-controller";

// PodCliqueScalingGroup → the PodCliques of its replicas.
class GroupReconciler final : public kube::Reconciler {
 public:
  explicit GroupReconciler(const Context& context) : context_(context) {}
  base::Result<kube::Requeue> Reconcile(const api::ObjectKey& key) override;

 private:
  Outcome SyncSpec(Pass& pass);

  const Context& context_;
};

// Adds the controller with all that wakes it.
void AddController(kube::Manager& manager, const Context& context);

}  // namespace coppice::operators::scalinggroup
