#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/model/input.h"
#include "engine/state/values/resources.h"

namespace coppice::engine {

enum class RequestType { kRegular, kGpuMemory, kFraction, kMigInstance };

// A pod's GPU request (docs/behaviour/engine.md S-20).
struct GpuRequest {
  RequestType type = RequestType::kRegular;
  int64_t count = 0;
  double portion = 0;                        // Per device; whole devices have 1.
  int64_t memory_mib = 0;                    // Per device, for memory requests.
  int64_t dra_count = 0;                     // Devices through resource claims.
  std::vector<std::pair<int, int64_t>> mig;  // Resource index, instances.
  bool legacy_mig = false;

  bool shared() const { return type == RequestType::kFraction || type == RequestType::kGpuMemory; }
  // Portions in hundredths times devices, in thousandths of a device.
  int64_t Milli() const;
  bool NeedsAny() const { return Milli() > 0 || memory_mib > 0 || dra_count > 0 || !mig.empty(); }
};

// `part` in hundredths of `whole`, rounded up.
int64_t CeilPercent(int64_t part, int64_t whole);
// The share of a device of `device_mib` that each device of the request takes, in hundredths.
int64_t PortionPercentOn(const GpuRequest& request, int64_t device_mib);
// The memory that each device of the request takes on a device of `device_mib`.
int64_t MemoryOn(const GpuRequest& request, int64_t device_mib);
// Accepted GPUs on such a device in thousandths, without claims.
int64_t AcceptedMilliOn(const GpuRequest& request, int64_t device_mib);

// Counts whole devices in `amounts` (the sum over containers) and reads the annotations.
GpuRequest ReadGpuRequest(const PodShape& shape, const Amounts& amounts, int64_t dra_count,
                          bool legacy_mig, ResourceIndex& index);

}  // namespace coppice::engine
