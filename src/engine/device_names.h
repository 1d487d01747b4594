#pragma once

#include <string>
#include <vector>

#include "engine/devices.h"

namespace coppice::engine {

// Drivers and classes whose name says "gpu" serve GPUs.
bool NamesGpu(const std::string& name);
// GPUs that a claim asks for.
int64_t GpuDevices(const ResourceClaimSpec& claim);

}  // namespace coppice::engine
