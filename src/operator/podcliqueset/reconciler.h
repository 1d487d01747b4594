#pragma once

#include "kube/manager.h"
#include "kube/reconciler.h"
#include "operator/common/context.h"
#include "operator/common/outcome.h"

namespace coppice::operators::podcliqueset {

inline constexpr char kControllerName[] = "podcliqueset-controller";

// PodCliqueSet → everything it consists of, except member PodCliques (scaling groups make those)
// and pods (PodCliques make those).
class SetReconciler final : public kube::Reconciler {
 public:
  explicit SetReconciler(const Context& context) : context_(context) {}
  base::Result<kube::Requeue> Reconcile(const api::ObjectKey& key) override;

 private:
  base::Result<kube::Requeue> Delete(const api::grove::PodCliqueSet& set);
  Outcome SyncSpec(api::grove::PodCliqueSet& set);
  Outcome SyncComponents(api::grove::PodCliqueSet& set);

  const Context& context_;
};

// Adds the controller with all that wakes it.
void AddController(kube::Manager& manager, const Context& context);

}  // namespace coppice::operators::podcliqueset
