#pragma once

#include <string>

#include "kube/executor/executor.h"
#include "server/controllers/work_set.h"
#include "server/core/core.h"

namespace coppice::server {

// Removes a deleted PodGroup once no pod that could still run refers to it.
class GroupGuard {
 public:
  explicit GroupGuard(Core& core);

  // Called for each change, under the store's lock.
  void Observe(const std::string& storage, const store::Change& change);
  void Start(kube::Executor& executor) { work_.Start(executor); }
  void Stop() { work_.Stop(); }

 private:
  bool Process(const std::string& key);
  bool IsNamed(const std::string& ns, const std::string& group) const;

  Core& core_;
  WorkSet work_;
};

}  // namespace coppice::server
