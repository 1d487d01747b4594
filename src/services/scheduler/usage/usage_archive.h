#pragma once

#include <memory>
#include <string>

#include "kube/manager.h"
#include "kube/task_scope.h"
#include "services/scheduler/usage/usage_history.h"

namespace coppice::services::scheduler {

// Keeps the scheduler's own history of usage in a ConfigMap, so that it outlives the process:
// thinned to a few hundred samples, written every few minutes while it changes.
class UsageArchive {
 public:
  UsageArchive(kube::Runtime runtime, api::ObjectKey config_map,
               std::shared_ptr<UsageHistory> history);
  ~UsageArchive() { scope_.Close(); }

  // Reads what an earlier process kept, then begins to write. A history that cannot be read is told
  // and left behind.
  void Start();

 private:
  void Load();
  void SaveLater();
  base::Status Save();

  kube::Runtime runtime_;
  const api::ObjectKey key_;
  const std::shared_ptr<UsageHistory> history_;
  std::string saved_;  // As last written.
  kube::TaskScope scope_;
};

// The archive's form of samples, and back. Neighbours are added up where there are more than
// `most`.
json::Value WriteSamples(const std::vector<UsageHistory::Sample>& samples, size_t most);
base::Result<std::vector<UsageHistory::Sample>> ReadSamples(const json::Value& document);

}  // namespace coppice::services::scheduler
