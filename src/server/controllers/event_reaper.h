#pragma once

#include <memory>

#include "kube/executor/executor.h"
#include "kube/executor/task_scope.h"
#include "server/core/core.h"

namespace coppice::server {

// Deletes events an hour after they were last written, as Kubernetes does, so that they do not
// fill the store.
class EventReaper {
 public:
  explicit EventReaper(Core& core) : core_(core) {}

  void Start(kube::Executor& executor);
  void Stop() {
    if (scope_) scope_->Close();
  }
  // Deletes what is due now.
  void Reap();

 private:
  void Schedule();

  Core& core_;
  std::unique_ptr<kube::TaskScope> scope_;
};

}  // namespace coppice::server
