#pragma once

#include "api/view/core.h"
#include "base/result.h"
#include "json/value.h"

// Keeps containers from reaching GPUs that were not given to them (docs/behaviour/services.md
// K-77), and gives pods that share a GPU the runtime that shares it (K-78).
namespace coppice::services::admission {

base::Status ValidateDeviceAccess(view::core::Pod pod);
void MutateDeviceAccess(json::Value& pod);
void MutateRuntimeClass(const std::string& runtime_class, json::Value& pod);

}  // namespace coppice::services::admission
