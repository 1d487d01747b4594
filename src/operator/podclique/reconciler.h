#pragma once

#include <memory>

#include "kube/controller/reconciler.h"
#include "kube/process/manager.h"
#include "operator/podclique/clique_status.h"
#include "operator/podclique/pass.h"
#include "operator/runtime/context.h"
#include "operator/runtime/step_outcome.h"

namespace coppice::operators::podclique {

inline constexpr char kControllerName[] = "podclique-controller";

// PodClique → pods: how many, with which template, and when to release them to their scheduler.
class CliqueReconciler final : public kube::Reconciler {
 public:
  explicit CliqueReconciler(std::shared_ptr<const Context> context)
      : shared_(std::move(context)), context_(*shared_), debouncers_(context_.runtime.priorities) {}
  base::Result<kube::Requeue> Reconcile(const api::ObjectKey& key) override;

 private:
  base::Result<kube::Requeue> Delete(const api::grove::PodClique& clique);
  StepOutcome SyncSpec(Pass& pass);

  const std::shared_ptr<const Context> shared_;
  const Context& context_;
  Debouncers debouncers_;
};

// Adds the controller and its watches.
void AddController(kube::Manager& manager, const std::shared_ptr<const Context>& context);

}  // namespace coppice::operators::podclique
