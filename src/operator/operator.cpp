#include "operator/operator.h"

#include <utility>

#include "operator/common/context.h"
#include "operator/podclique/reconciler.h"
#include "operator/podcliqueset/reconciler.h"
#include "operator/scalinggroup/reconciler.h"

namespace coppice::operators {

Operator::Operator(std::unique_ptr<Context> context) : context_(std::move(context)) {}
Operator::~Operator() = default;

base::Result<std::unique_ptr<Operator>> AddToManager(kube::Manager& manager, const Config& config,
                                                     backends::Backends& backends) {
  auto context = std::make_unique<Context>(manager, config, backends);
  podcliqueset::AddController(manager, *context);
  podclique::AddController(manager, *context);
  scalinggroup::AddController(manager, *context);
  return std::unique_ptr<Operator>(new Operator(std::move(context)));
}

}  // namespace coppice::operators
