#pragma once

#include <map>
#include <mutex>
#include <set>
#include <string>

#include "backends/framework/backend.h"
#include "base/clock.h"

namespace coppice::backends {

// Holds back new pods while a gang restarts whose objects could not be updated (UpdateBlocked): a
// new pod that refers to the old objects would keep them in use.
//
// Users delete a gang's pods one after the other, and the first replacement would be created before
// the last pod is gone. So while a gang is blocked, pods are not replaced until no other pod has
// gone away for a short time. Thread-safe.
class Restarts {
 public:
  // Whether a new pod of this PodGang must wait.
  bool Holds(const ClusterView& view, const json::Value& gang, base::Instant now);

 private:
  struct Watched {
    std::set<std::string, std::less<>> pods;  // Uids of pods that are not being deleted.
    base::Instant since;                      // When one of them was last seen to go away.
  };

  std::mutex mutex_;  // Guards watched_.
  std::map<api::ObjectKey, Watched> watched_;
};

}  // namespace coppice::backends
