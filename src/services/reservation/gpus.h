#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace coppice::services::reservation {

struct Gpu {
  int index = 0;
  std::string name;
  std::string uuid;  // "GPU-…".
};

// The GPUs that this container sees, by NVIDIA's management library, which is loaded when called.
// NotFound if the library does not exist.
base::Result<std::vector<Gpu>> ListNvidiaGpus();

// One fake GPU, always the same for the same seed text, for nodes with simulated GPUs.
Gpu SimulatedGpu(std::string_view seed);

// As `nvidia-smi -L` prints it: "GPU 0: NVIDIA H200 (UUID: GPU-…)".
std::string Describe(const Gpu& gpu);

}  // namespace coppice::services::reservation
