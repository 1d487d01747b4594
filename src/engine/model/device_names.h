#pragma once

#include <string>
#include <vector>

#include "engine/model/config.h"
#include "engine/model/devices.h"

namespace coppice::engine {

// Drivers and classes whose name contains "gpu" serve GPUs: anywhere in the name, or only as a
// separate word.
enum class GpuNames { kAnywhere, kWords };
GpuNames GpuNamesOf(const Configuration& configuration);
bool NamesGpu(const std::string& name, GpuNames names);
// The number of GPUs that a claim asks for.
int64_t GpuDevices(const ResourceClaimSpec& claim, GpuNames names);

}  // namespace coppice::engine
