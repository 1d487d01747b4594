#include "operator/operator.h"

#include <utility>

#include "operator/podclique/reconciler.h"
#include "operator/podcliqueset/reconciler.h"
#include "operator/runtime/context.h"
#include "operator/scalinggroup/reconciler.h"
#include "operator/topology/reconciler.h"

namespace coppice::operators {

base::Status AddToManager(kube::Manager& manager, const Config& config,
                          std::shared_ptr<backends::Backends> backends) {
  const auto context = std::make_shared<const Context>(manager, config, std::move(backends));
  podcliqueset::AddController(manager, context);
  podclique::AddController(manager, context);
  scalinggroup::AddController(manager, context);
  topology::AddController(manager, context);
  return {};
}

base::Status AddToManager(kube::Manager& manager, const Config& config) {
  COPPICE_ASSIGN(std::shared_ptr<backends::Backends> backends,
                 backends::MakeBackends(manager, config.backends));
  COPPICE_TRY(AddToManager(manager, config, backends));
  return backends::AddToManager(manager, *backends);
}

}  // namespace coppice::operators
