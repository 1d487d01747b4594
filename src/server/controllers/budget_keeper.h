#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "kube/executor/executor.h"
#include "server/controllers/work_set.h"
#include "server/core/core.h"

namespace coppice::server {

// Keeps the status of PodDisruptionBudgets: how many pods may be disrupted now. Evictions only
// check this status.
class BudgetKeeper {
 public:
  explicit BudgetKeeper(Core& core);

  // Called for each change, under the store's lock.
  void Observe(const std::string& storage, const store::Change& change);
  void Start(kube::Executor& executor) { work_.Start(executor); }
  void Stop() { work_.Stop(); }

 private:
  bool Process(const std::string& ns);
  bool Update(const json::Value& budget);
  json::Value StatusOf(const json::Value& budget) const;
  // The expected number of pods, from the controllers of existing ones.
  int64_t ExpectedCount(const std::vector<json::Value>& pods) const;

  Core& core_;
  std::atomic<int64_t> budgets_{0};
  WorkSet work_;
};

}  // namespace coppice::server
