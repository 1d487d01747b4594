#pragma once

#include <map>
#include <mutex>
#include <set>
#include <string>

#include "kube/executor/executor.h"
#include "server/controllers/work_set.h"
#include "server/core/core.h"

namespace coppice::server {

// Keeps the usage of ResourceQuotas. Admission adds to the usage; this subtracts what is gone.
class QuotaKeeper {
 public:
  explicit QuotaKeeper(Core& core);

  // Called for each change, under the store's lock.
  void Observe(const std::string& storage, const store::Change& change);
  void Start(kube::Executor& executor) { work_.Start(executor); }
  void Stop() { work_.Stop(); }

 private:
  bool Process(const std::string& ns);

  Core& core_;
  std::mutex mutex_;  // Guards counted_.
  // What the quotas of each namespace limit.
  std::map<std::string, std::set<std::string>, std::less<>> counted_;
  WorkSet work_;
};

}  // namespace coppice::server
