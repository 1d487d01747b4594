#pragma once

#include "api/view/grove.h"
#include "kube/cache/cache.h"

namespace coppice::operators {

// Whether a set, scaling group or clique is new or wants more replicas than before: objects must be
// created, and all other work on it waits for them.
inline bool IsNewOrScaledOut(const kube::Change& change) {
  if (change.type != kube::ChangeType::kUpdated) return change.type == kube::ChangeType::kAdded;
  using Scaled = view::grove::PodClique;  // All three have their replicas in the same place.
  return Scaled(change.old_object).spec().replicas() < Scaled(change.object).spec().replicas();
}

}  // namespace coppice::operators
