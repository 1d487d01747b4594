#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "kube/executor/task_scope.h"
#include "kube/process/manager.h"
#include "services/scheduler/usage/usage_history.h"

namespace coppice::services::scheduler {

// Keeps the scheduler's own history of usage in a ConfigMap, so that it outlives the process:
// thinned to a few hundred samples, written every few minutes while it changes.
class UsageArchive {
 public:
  UsageArchive(kube::Runtime runtime, api::ObjectKey config_map,
               std::shared_ptr<UsageHistory> history);
  ~UsageArchive() { scope_.Close(); }

  // Reads the history of an earlier process, calls `on_loaded` and starts writing. Retries while
  // the server does not respond, because otherwise the history would be overwritten. A history that
  // cannot be parsed is logged and dropped.
  void Start(std::function<void()> on_loaded = [] {});
  bool loaded() const { return loaded_; }

 private:
  // False if it should be retried.
  bool Load();
  void SaveLater();
  base::Status Save();

  kube::Runtime runtime_;
  const api::ObjectKey key_;
  const std::shared_ptr<UsageHistory> history_;
  std::string saved_;  // As last written.
  std::atomic<bool> loaded_ = false;
  kube::TaskScope scope_;
};

// The archive's form of samples, and back. Neighbouring samples are merged if there are more than
// `most`.
json::Value WriteSamples(const std::vector<UsageHistory::Sample>& samples, size_t most);
base::Result<std::vector<UsageHistory::Sample>> ReadSamples(const json::Value& document);

}  // namespace coppice::services::scheduler
