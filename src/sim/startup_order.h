#pragma once

#include "kube/cache/cache.h"

namespace coppice::sim {

// Runs the logic of our init container on simulated nodes: it finishes when every PodClique that
// the pod starts after has enough ready pods in the same gang.
class StartupOrder {
 public:
  explicit StartupOrder(kube::Informer& pods);

  // True if `container` is not such a container, or if its requirements are met.
  bool MayFinish(const json::Value& pod, const json::Value& container) const;

 private:
  kube::Informer& pods_;
};

}  // namespace coppice::sim
