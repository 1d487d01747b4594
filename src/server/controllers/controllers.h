#pragma once

#include "kube/executor/executor.h"
#include "server/controllers/budget_keeper.h"
#include "server/controllers/content_deleter.h"
#include "server/controllers/event_reaper.h"
#include "server/controllers/garbage_collector.h"
#include "server/controllers/group_guard.h"
#include "server/controllers/quota_keeper.h"
#include "server/controllers/volume_guard.h"

namespace coppice::server {

// The controllers that belong to the API itself. They observe the store from the start and begin to
// work once they have an executor.
class Controllers {
 public:
  explicit Controllers(Core& core);

  void Start(kube::Executor& executor);
  void Stop();

 private:
  void Observe(const std::string& storage, const store::Change& change);
  void ObserveStored();

  Core& core_;
  const bool restarted_;  // The store holds what an earlier process wrote.
  GarbageCollector garbage_;
  ContentDeleter contents_;
  BudgetKeeper budgets_;
  QuotaKeeper quotas_;
  GroupGuard groups_;
  VolumeGuard volumes_;
  EventReaper events_;
  std::unique_ptr<kube::TaskScope> scope_;
};

}  // namespace coppice::server
