#pragma once

#include <string>

#include "kube/executor/executor.h"
#include "server/controllers/work_set.h"
#include "server/core/core.h"

namespace coppice::server {

// Removes a deleted PersistentVolumeClaim once no pod that could run uses it, and a deleted
// PersistentVolume once it is unbound.
class VolumeGuard {
 public:
  explicit VolumeGuard(Core& core);

  // Called for each change, under the store's lock.
  void Observe(const std::string& storage, const store::Change& change);
  void Start(kube::Executor& executor);
  void Stop();

 private:
  bool ReleaseClaim(const std::string& key);
  bool ReleaseVolume(const std::string& name);
  bool IsUsed(const std::string& ns, std::string_view claim) const;

  Core& core_;
  WorkSet claims_;
  WorkSet volumes_;
};

}  // namespace coppice::server
