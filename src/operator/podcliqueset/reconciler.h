#pragma once

#include <memory>

#include "kube/manager.h"
#include "kube/reconciler.h"
#include "kube/status_pacer.h"
#include "operator/common/context.h"
#include "operator/common/outcome.h"

namespace coppice::operators::podcliqueset {

inline constexpr char kControllerName[] = "podcliqueset-controller";

// PodCliqueSet → everything it consists of, except member PodCliques (scaling groups make those)
// and pods (PodCliques make those).
class SetReconciler final : public kube::Reconciler {
 public:
  explicit SetReconciler(std::shared_ptr<const Context> context)
      : shared_(std::move(context)), context_(*shared_) {}
  base::Result<kube::Requeue> Reconcile(const api::ObjectKey& key) override;

 private:
  base::Result<kube::Requeue> Delete(const api::grove::PodCliqueSet& set);
  Outcome SyncSpec(api::grove::PodCliqueSet& set);
  Outcome SyncComponents(api::grove::PodCliqueSet& set);

  const std::shared_ptr<const Context> shared_;
  const Context& context_;
  kube::StatusPacer pacer_;
  // That pods are missing is worth telling when they do not come within a moment.
  kube::StatusPacer gang_pacer_{std::chrono::seconds(1), std::chrono::seconds(1)};
};

// Adds the controller with all that wakes it.
void AddController(kube::Manager& manager, const std::shared_ptr<const Context>& context);

}  // namespace coppice::operators::podcliqueset
