#pragma once

#include <map>
#include <mutex>
#include <string>

#include "kube/process/manager.h"

namespace coppice::services::nodes {

// Deletes pods that do not tolerate a NoExecute taint of their node, when their toleration ends.
//
// The time counts from when this process first saw the pod beside the taint.
class TaintEviction final : public kube::Reconciler {
 public:
  explicit TaintEviction(kube::Runtime runtime);

  base::Result<kube::Requeue> Reconcile(const api::ObjectKey& key) override;

 private:
  struct Waiting {
    std::string uid;
    base::Time since{};
  };

  // When the pod was first seen beside the taint.
  base::Time Since(const api::ObjectKey& key, std::string_view uid);
  void Forget(const api::ObjectKey& key);
  base::Status Evict(const json::Value& pod);

  kube::Client& client_;
  kube::Executor& executor_;
  kube::EventRecorder& events_;
  kube::Informer& pods_;
  kube::Informer& nodes_;
  std::mutex mutex_;  // Guards waiting_.
  std::map<api::ObjectKey, Waiting> waiting_;
};

}  // namespace coppice::services::nodes
