#pragma once

#include <initializer_list>
#include <string_view>

#include "api/view/kubeflow.h"
#include "base/result.h"

namespace coppice::services::grouper {

// The roles of a Kubeflow job ("Master", "Worker", …), under a field that differs by kind.
struct KubeflowRoles {
  std::string_view field;  // In the job's spec.
  view::Map<view::kubeflow::ReplicaSpec> specs;
};

// A Kubeflow job's number of pods: its scheduling policy's minAvailable, else the sum over its
// roles, every one of which must have replicas.
base::Result<int64_t> KubeflowMinimum(view::kubeflow::RunPolicy policy, KubeflowRoles roles,
                                      std::initializer_list<std::string_view> mandatory_roles);

}  // namespace coppice::services::grouper
