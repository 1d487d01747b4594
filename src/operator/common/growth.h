#pragma once

#include "kube/cache/cache.h"

namespace coppice::operators {

// Whether a set, scaling group or clique is new or wants more replicas than before: objects are to
// be created, which everything else that is told about it waits for.
inline bool HasGrown(const kube::Change& change) {
  if (change.type != kube::ChangeType::kUpdated) return change.type == kube::ChangeType::kAdded;
  return change.old_object["spec"]["replicas"].AsInt() < change.object["spec"]["replicas"].AsInt();
}

}  // namespace coppice::operators
