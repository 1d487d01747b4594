#pragma once

#include <map>
#include <mutex>
#include <span>

#include "kube/controller/expectations.h"
#include "operator/podclique/pass.h"
#include "operator/runtime/step_outcome.h"

namespace coppice::operators::podclique {

// Creates and deletes the pods of PodCliques. Remembers what it did and the cache does not show
// yet, so that nothing is created or deleted twice. Shared by all workers; thread-safe.
class PodKeeper {
 public:
  // Brings the number of pods to the clique's replicas.
  StepOutcome Scale(const Pass& pass);
  // Deletes one pod; one that is gone already is fine.
  base::Status Delete(const Pass& pass, const json::Value& pod);
  // True when the pod has been deleted by us, whatever the cache says.
  bool IsBeingDeleted(const Pass& pass, const json::Value& pod) const;

  // The pod's gate was taken off; once is enough, whatever the cache says for a while.
  void Released(const Pass& pass, const json::Value& pod);
  bool IsReleased(const Pass& pass, const json::Value& pod) const;
  // The cache shows none with a gate any more.
  void AllReleased(const Pass& pass);

  // A pod has left the cache.
  void Gone(const api::ObjectKey& clique, const std::string& uid) { expected_.Gone(clique, uid); }
  void Forget(const api::ObjectKey& clique);

 private:
  kube::Expectations::Pending Settle(const Pass& pass);
  StepOutcome Create(const Pass& pass, size_t count);
  base::Status CreateBatch(const Pass& pass, std::span<const int> indices);
  base::Status CreateOne(const Pass& pass, int index);
  StepOutcome DeleteSurplus(const Pass& pass, const std::vector<json::Value>& active, size_t count);
  void DropLostCreates(const Pass& pass, kube::Expectations::Pending& pending);

  kube::Expectations expected_;
  mutable std::mutex mutex_;  // Guards all below.
  std::map<api::ObjectKey, base::Instant> last_create_;
  std::map<api::ObjectKey, std::map<std::string, base::Instant>> released_;  // By clique and uid.
};

}  // namespace coppice::operators::podclique
