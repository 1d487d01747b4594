#pragma once

#include "api/view/grove.h"
#include "kube/cache/cache.h"

namespace coppice::operators {

// Whether a set, scaling group or clique is new or was scaled out. Creating its objects takes
// precedence over other work on it.
inline bool IsNewOrScaledOut(const kube::Change& change) {
  if (change.type != kube::ChangeType::kUpdated) return change.type == kube::ChangeType::kAdded;
  using Scaled = view::grove::PodClique;  // All three kinds have `spec.replicas`.
  return Scaled(change.old_object).spec().replicas() < Scaled(change.object).spec().replicas();
}

}  // namespace coppice::operators
