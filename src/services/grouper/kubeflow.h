#pragma once

#include <initializer_list>
#include <string_view>

#include "base/result.h"
#include "json/value.h"

namespace coppice::services::grouper {

// A Kubeflow job's number of pods: its scheduling policy's minAvailable, else the sum over its
// roles, every one of which must have replicas.
base::Result<int64_t> KubeflowMinimum(const json::Value& job, std::string_view specs_field,
                                      std::initializer_list<std::string_view> mandatory_roles);

}  // namespace coppice::services::grouper
