#pragma once

#include <string>

#include "json/value.h"

namespace coppice::cli {

// The object that users created to get a pod.
struct Workload {
  std::string kind;  // "Deployment".
  std::string name;

  friend auto operator<=>(const Workload&, const Workload&) = default;
};

// What made the pod: a Deployment for a pod of its ReplicaSet, else its first owner, else the pod
// itself. Reads nothing but the pod.
Workload WorkloadOf(const json::Value& pod);

}  // namespace coppice::cli
