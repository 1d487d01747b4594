#pragma once

#include "kube/cache/cache.h"

namespace coppice::sim {

// Runs the logic of our init container on simulated nodes: it finishes when every PodClique that
// the pod must start after has enough ready pods in the same gang.
class StartupOrder {
 public:
  explicit StartupOrder(kube::Informer& pods);

  // True when `container` is not such a container, or what it waits for is there.
  bool MayFinish(const json::Value& pod, const json::Value& container) const;

 private:
  kube::Informer& pods_;
};

}  // namespace coppice::sim
