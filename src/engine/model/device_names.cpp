#include "engine/model/device_names.h"

#include <algorithm>
#include <cctype>

namespace coppice::engine {
namespace {

// More devices than any cluster has; sums of this value do not overflow.
constexpr int64_t kManyDevices = 1'000'000'000'000;

}  // namespace

GpuNames GpuNamesOf(const Configuration& configuration) {
  return configuration.compatibility.Keeps(Quirk::kGpuNames) ? GpuNames::kAnywhere
                                                             : GpuNames::kWords;
}

bool NamesGpu(const std::string& name, GpuNames names) {
  std::string lower = name;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto part_of_word = [&](size_t at) {
    return at < lower.size() && std::isalnum(static_cast<unsigned char>(lower[at]));
  };
  for (size_t at = lower.find("gpu"); at != std::string::npos; at = lower.find("gpu", at + 1)) {
    const bool word = (at == 0 || !part_of_word(at - 1)) && !part_of_word(at + 3);
    if (word || names == GpuNames::kAnywhere) return true;
  }
  return false;
}

int64_t GpuDevices(const ResourceClaimSpec& claim, GpuNames names) {
  if (claim.for_extended_resources) return 0;
  int64_t count = 0;
  for (const auto& request : claim.requests) {
    if (!NamesGpu(request.device_class, names)) continue;
    if (request.mode == DeviceAllocationMode::kAll) count += 1;
    if (request.mode == DeviceAllocationMode::kExactCount) {
      count += request.count == 0 ? 1 : std::clamp<int64_t>(request.count, 0, kManyDevices);
    }
  }
  return std::min(count, kManyDevices);
}

}  // namespace coppice::engine
