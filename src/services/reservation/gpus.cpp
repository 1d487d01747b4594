#include "services/reservation/gpus.h"

#include <fmt/format.h>

#include "http/crypto/crypto.h"
#include "services/reservation/nvml.h"

namespace coppice::services::reservation {

base::Result<std::vector<Gpu>> ListNvidiaGpus() {
  COPPICE_ASSIGN(const Nvml nvml, Nvml::Load());
  COPPICE_ASSIGN(const unsigned count, nvml.DeviceCount());
  std::vector<Gpu> gpus;
  for (unsigned i = 0; i < count; ++i) {
    COPPICE_ASSIGN(Gpu gpu, nvml.Device(i));
    gpus.push_back(std::move(gpu));
  }
  return gpus;
}

Gpu SimulatedGpu(std::string_view seed) {
  const std::string hex = http::Sha256Hex(seed);
  return {0, "Simulated GPU",
          fmt::format("GPU-{}-{}-{}-{}-{}", hex.substr(0, 8), hex.substr(8, 4), hex.substr(12, 4),
                      hex.substr(16, 4), hex.substr(20, 12))};
}

std::string Describe(const Gpu& gpu) {
  return fmt::format("GPU {}: {} (UUID: {})", gpu.index, gpu.name, gpu.uuid);
}

}  // namespace coppice::services::reservation
