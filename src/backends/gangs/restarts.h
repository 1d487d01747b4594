#pragma once

#include <map>
#include <mutex>
#include <set>
#include <string>

#include "backends/framework/backend.h"
#include "base/clock.h"

namespace coppice::backends {

// Holds new pods back while a gang restarts whose objects could not be updated (UpdateBlocked): a
// pod that refers to the old objects keeps them for another life of the gang.
//
// Users delete the pods of a gang one after the other, and the first successor would be there
// before the last has gone. So while a gang is blocked, pods are not replaced until a moment has
// passed in which no other one went. Thread-safe.
class Restarts {
 public:
  // Whether a new pod of this PodGang must wait.
  bool Holds(const ClusterView& view, const json::Value& gang, base::Instant now);

 private:
  struct Watched {
    std::set<std::string, std::less<>> pods;  // By uid, those that are there to stay.
    base::Instant since;                      // When one of them was last seen to go.
  };

  std::mutex mutex_;  // Guards watched_.
  std::map<api::ObjectKey, Watched> watched_;
};

}  // namespace coppice::backends
