#pragma once

#include "base/result.h"
#include "json/value.h"

// Keeps containers from reaching GPUs that were not given to them (spec/services.md 8.4), and gives
// pods that share a GPU the runtime that shares it (8.5).
namespace coppice::services::admission {

base::Status ValidateDeviceAccess(const json::Value& pod);
void MutateDeviceAccess(json::Value& pod);
void MutateRuntimeClass(const std::string& runtime_class, json::Value& pod);

}  // namespace coppice::services::admission
