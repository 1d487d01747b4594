#pragma once

#include <string>
#include <vector>

#include "engine/config.h"
#include "engine/devices.h"

namespace coppice::engine {

// Drivers and classes whose name says "gpu" serve GPUs: anywhere in it, or as a word of its own.
enum class GpuNames { kAnywhere, kWords };
GpuNames GpuNamesOf(const Configuration& configuration);
bool NamesGpu(const std::string& name, GpuNames names);
// GPUs that a claim asks for.
int64_t GpuDevices(const ResourceClaimSpec& claim, GpuNames names);

}  // namespace coppice::engine
