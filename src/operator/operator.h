#pragma once

#include <memory>

#include "backends/component.h"
#include "base/result.h"
#include "kube/manager.h"
#include "operator/common/config.h"

namespace coppice::operators {

class Context;

// The operator's controllers: PodCliqueSet → PodCliques, scaling groups, PodGangs, gated pods.
// Keep it until the manager has stopped.
class Operator {
 public:
  ~Operator();

 private:
  friend base::Result<std::unique_ptr<Operator>> AddToManager(kube::Manager&, const Config&,
                                                              backends::Backends&);
  explicit Operator(std::unique_ptr<Context> context);
  std::unique_ptr<Context> context_;
};

// Adds the controllers; call before Manager::Start. `backends` must outlive the manager; their own
// controllers are added with backends::AddToManager.
//
//   COPPICE_ASSIGN(auto backends, backends::MakeBackends(manager, config.backends));
//   COPPICE_ASSIGN(auto op, operators::AddToManager(manager, config, *backends));
//   COPPICE_TRY(backends::AddToManager(manager, *backends));
base::Result<std::unique_ptr<Operator>> AddToManager(kube::Manager& manager, const Config& config,
                                                     backends::Backends& backends);

}  // namespace coppice::operators
