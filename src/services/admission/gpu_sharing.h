#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "json/value.h"

// Requests for a part of a GPU (docs/behaviour/services.md K-74 to K-76).
namespace coppice::services::admission {

// `count` characters of bcdfghjklmnpqrstvwxz2456789.
using RandomText = std::function<std::string(int count)>;

base::Status ValidateGpuSharing(const json::Value& pod, bool sharing_enabled);
// Makes the sharing container read its devices and share from ConfigMaps that the binder writes.
// Idempotent.
base::Status MutateGpuSharing(const RandomText& random, json::Value& pod);
// Adds HAMi's memory limit, after MutateGpuSharing.
base::Status MutateHamiCore(json::Value& pod);

}  // namespace coppice::services::admission
