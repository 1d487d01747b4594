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

  // Reads what an earlier process kept, calls `on_loaded` and begins to write. As long as the
  // server does not answer it is asked again: what was kept would be written over. A history that
  // cannot be read is told and left behind.
  void Start(std::function<void()> on_loaded = [] {});
  bool loaded() const { return loaded_; }

 private:
  // False when it is worth another attempt.
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

// The archive's form of samples, and back. Neighbours are added up where there are more than
// `most`.
json::Value WriteSamples(const std::vector<UsageHistory::Sample>& samples, size_t most);
base::Result<std::vector<UsageHistory::Sample>> ReadSamples(const json::Value& document);

}  // namespace coppice::services::scheduler
