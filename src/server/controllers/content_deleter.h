#pragma once

#include <mutex>
#include <set>
#include <string>

#include "kube/executor/executor.h"
#include "server/controllers/work_set.h"
#include "server/core/core.h"

namespace coppice::server {

// Deletes the contents of namespaces and CustomResourceDefinitions that are being deleted. When
// nothing is left, the namespace or definition itself is removed.
class ContentDeleter {
 public:
  explicit ContentDeleter(Core& core);

  // Called for each change, under the store's lock.
  void Observe(const std::string& storage, const store::Change& change);
  void Start(kube::Executor& executor) { work_.Start(executor); }
  void Stop() { work_.Stop(); }

 private:
  bool Process(const std::string& key);
  bool EmptyNamespace(const std::string& name);
  bool EmptyCrd(const std::string& name);
  // How many objects remain after deleting all of them.
  size_t DeleteAll(const ServedPtr& served, const std::string& ns);

  Core& core_;
  std::mutex mutex_;  // Guards all below.
  std::set<std::string> terminating_namespaces_;
  std::set<std::string> terminating_crds_;  // By storage of their resources.
  WorkSet work_;
};

}  // namespace coppice::server
