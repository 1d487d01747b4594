#include "engine/device_names.h"

#include <algorithm>
#include <cctype>

namespace coppice::engine {
namespace {

// More devices than any cluster has; sums of these do not overflow.
constexpr int64_t kManyDevices = 1'000'000'000'000;

}  // namespace

bool NamesGpu(const std::string& name) {
  std::string lower = name;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower.find("gpu") != std::string::npos;
}

int64_t GpuDevices(const ResourceClaimSpec& claim) {
  if (claim.for_extended_resources) return 0;
  int64_t count = 0;
  for (const auto& request : claim.requests) {
    if (!NamesGpu(request.device_class)) continue;
    if (request.mode == DeviceAllocationMode::kAll) count += 1;
    if (request.mode == DeviceAllocationMode::kExactCount) {
      count += request.count == 0 ? 1 : std::clamp<int64_t>(request.count, 0, kManyDevices);
    }
  }
  return std::min(count, kManyDevices);
}

}  // namespace coppice::engine
