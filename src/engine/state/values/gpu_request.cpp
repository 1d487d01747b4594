#include "engine/state/values/gpu_request.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>

namespace coppice::engine {
namespace {

const std::string* Find(const Labels& labels, const char* key) {
  auto found = labels.find(key);
  return found == labels.end() ? nullptr : &found->second;
}

std::optional<int64_t> ReadInt(const std::string* text) {
  if (!text) return std::nullopt;
  int64_t value = 0;
  const char* end = text->data() + text->size();
  auto [at, error] = std::from_chars(text->data(), end, value);
  if (error != std::errc() || at != end) return std::nullopt;
  return value;
}

std::optional<double> ReadNumber(const std::string* text) {
  if (!text || text->empty()) return std::nullopt;
  char* end = nullptr;
  const double value = std::strtod(text->c_str(), &end);
  if (end != text->c_str() + text->size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

void ReadMig(const Amounts& amounts, const ResourceIndex& index, GpuRequest& request) {
  for (int i = kPods + 1; i < static_cast<int>(amounts.size()); ++i) {
    if (index.IsMig(i) && amounts[i] > 0) request.mig.emplace_back(i, amounts[i]);
  }
}

void ReadLegacyMig(const Labels& annotations, ResourceIndex& index, GpuRequest& request) {
  const std::string prefix = "nvidia.com/mig-";
  for (auto at = annotations.lower_bound(prefix); at != annotations.end(); ++at) {
    if (at->first.compare(0, prefix.size(), prefix) != 0) break;
    const auto count = ReadInt(&at->second);
    const auto slot = index.IndexOf(at->first);
    if (count && *count > 0 && slot && index.IsMig(*slot)) request.mig.emplace_back(*slot, *count);
  }
}

void ReadSharing(const Labels& annotations, GpuRequest& request) {
  const auto memory = ReadInt(Find(annotations, "gpu-memory"));
  if (memory && *memory > 0) {
    request.type = RequestType::kGpuMemory;
    request.count = 1;
    request.portion = 0;
    request.memory_mib = *memory;
  }
  const auto fraction = ReadNumber(Find(annotations, "gpu-fraction"));
  if (fraction && *fraction > 0 && *fraction <= 1) {
    request.type = RequestType::kFraction;
    request.count = 1;
    request.portion = *fraction;
    request.memory_mib = 0;
  }
  const auto devices = ReadInt(Find(annotations, "gpu-fraction-num-devices"));
  if (devices && *devices > 0 && request.shared()) request.count = *devices;
}

}  // namespace

int64_t GpuRequest::Milli() const {
  return static_cast<int64_t>(std::llround(portion * 100)) * count * (kGpuUnit / 100);
}

int64_t MemoryOn(const GpuRequest& request, int64_t device_mib) {
  if (request.memory_mib > 0) return request.memory_mib;
  return static_cast<int64_t>(request.portion * static_cast<double>(device_mib));
}

int64_t PortionPercentOn(const GpuRequest& request, int64_t device_mib) {
  if (request.type != RequestType::kGpuMemory) return std::llround(request.portion * 100);
  return CeilPercent(request.memory_mib, device_mib);
}

// In floating point and in this order, as in upstream: 440 of 800 MiB are 56 percent.
int64_t CeilPercent(int64_t part, int64_t whole) {
  if (whole <= 0) return 0;
  return static_cast<int64_t>(
      std::ceil(static_cast<double>(part) / static_cast<double>(whole) * 100));
}

int64_t AcceptedMilliOn(const GpuRequest& request, int64_t device_mib) {
  if (!request.shared()) return request.Milli();
  return PortionPercentOn(request, device_mib) * request.count * (kGpuUnit / 100);
}

GpuRequest ReadGpuRequest(const PodShape& shape, const Amounts& amounts, int64_t dra_count,
                          bool legacy_mig, ResourceIndex& index) {
  GpuRequest request;
  request.count = std::max<int64_t>(At(amounts, kGpu) / kGpuUnit, 0);
  request.portion = request.count > 0 ? 1 : 0;
  ReadSharing(shape.annotations, request);
  request.dra_count = dra_count;
  if (legacy_mig) {
    request = GpuRequest{};
    ReadLegacyMig(shape.annotations, index, request);
    request.legacy_mig = true;
  } else {
    ReadMig(amounts, index, request);
  }
  if (!request.mig.empty()) request.type = RequestType::kMigInstance;
  return request;
}

}  // namespace coppice::engine
