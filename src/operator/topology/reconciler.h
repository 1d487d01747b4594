#pragma once

#include <memory>

#include "kube/controller/reconciler.h"
#include "kube/process/manager.h"
#include "operator/runtime/context.h"

namespace coppice::operators::topology {

inline constexpr char kControllerName[] = "clustertopology-controller";

// ClusterTopologyBinding → the schedulers' own topology objects, and the binding's status.
class BindingReconciler final : public kube::Reconciler {
 public:
  explicit BindingReconciler(std::shared_ptr<const Context> context)
      : context_(std::move(context)) {}
  base::Result<kube::Requeue> Reconcile(const api::ObjectKey& key) override;

 private:
  const std::shared_ptr<const Context> context_;
};

// Adds the controller and its watches.
void AddController(kube::Manager& manager, const std::shared_ptr<const Context>& context);

}  // namespace coppice::operators::topology
