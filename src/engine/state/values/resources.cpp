#include "engine/state/values/resources.h"

#include <algorithm>
#include <charconv>

namespace coppice::engine {
namespace {

constexpr std::string_view kMigPrefix = "nvidia.com/mig-";

bool EndsWithGpu(std::string_view name) { return name.ends_with("gpu"); }

// "1g.10gb" after the prefix.
bool ParseMig(std::string_view name, int& slices, int64_t& gigabytes) {
  if (!name.starts_with(kMigPrefix)) return false;
  name.remove_prefix(kMigPrefix.size());
  const char* end = name.data() + name.size();
  auto first = std::from_chars(name.data(), end, slices);
  if (first.ec != std::errc() || end - first.ptr < 2 || first.ptr[0] != 'g' ||
      first.ptr[1] != '.') {
    return false;
  }
  auto second = std::from_chars(first.ptr + 2, end, gigabytes);
  return second.ec == std::errc() && std::string_view(second.ptr, end - second.ptr) == "gb";
}

bool PlainValue(std::string_view name) {
  return name == "memory" || name == "ephemeral-storage" || name == "storage" || name == "pods" ||
         name.starts_with(kMigPrefix);
}

bool Schedulable(std::string_view name) {
  return name == "cpu" || PlainValue(name) || name.find('/') != std::string_view::npos ||
         name.starts_with("hugepages-") || name.starts_with("attachable-volumes-");
}

}  // namespace

ResourceIndex::ResourceIndex(bool foreign_gpu_milli) : foreign_gpu_milli_(foreign_gpu_milli) {
  for (const char* name : {"cpu", "memory", "gpu", "pods"}) entries_.push_back({name});
}

std::optional<int> ResourceIndex::IndexOf(std::string_view name) {
  if (name == "cpu") return kCpu;
  if (name == "memory") return kMemory;
  if (EndsWithGpu(name)) return kGpu;
  if (name == "pods") return kPods;
  for (int i = kPods + 1; i < size(); ++i) {
    if (entries_[i].name == name) return i;
  }
  if (!Schedulable(name)) return std::nullopt;
  Entry entry{std::string(name)};
  if (!ParseMig(name, entry.mig_slices, entry.mig_gb)) entry.mig_slices = 0;
  entries_.push_back(entry);
  return size() - 1;
}

int64_t ResourceIndex::Scale(int index, std::string_view name,
                             const base::Quantity& quantity) const {
  // Far more than exists, and far from overflow in sums over a cluster.
  constexpr int64_t kMost = int64_t{1} << 50;
  if (index == kGpu) {
    const bool milli = foreign_gpu_milli_ && name != "nvidia.com/gpu" && name != "amd.com/gpu";
    const int64_t devices = milli ? quantity.MilliValue() : quantity.Value();
    return std::clamp(devices, -kMost / kGpuUnit, kMost / kGpuUnit) * kGpuUnit;
  }
  return std::clamp(PlainValue(name) ? quantity.Value() : quantity.MilliValue(), -kMost, kMost);
}

void ResourceIndex::Add(const ResourceList& list, Amounts& into) {
  for (const auto& [name, quantity] : list) {
    const auto index = IndexOf(name);
    if (!index) continue;
    if (*index >= static_cast<int>(into.size())) into.resize(*index + 1);
    into[*index] += Scale(*index, name, quantity);
  }
}

void AddTo(Amounts& into, std::span<const int64_t> amounts) {
  if (into.size() < amounts.size()) into.resize(amounts.size());
  for (size_t i = 0; i < amounts.size(); ++i) into[i] += amounts[i];
}

void MaxTo(Amounts& into, std::span<const int64_t> amounts) {
  if (into.size() < amounts.size()) into.resize(amounts.size());
  for (size_t i = 0; i < amounts.size(); ++i) into[i] = std::max(into[i], amounts[i]);
}

bool LessEqual(std::span<const int64_t> a, std::span<const int64_t> b) {
  const int size = static_cast<int>(std::max(a.size(), b.size()));
  for (int i = 0; i < size; ++i) {
    if (At(a, i) > At(b, i)) return false;
  }
  return true;
}

int64_t TotalGpus(const ResourceIndex& index, std::span<const int64_t> amounts) {
  int64_t total = At(amounts, kGpu);
  for (int i = kPods + 1; i < static_cast<int>(amounts.size()); ++i) {
    total += amounts[i] * index.MigSlices(i) * kGpuUnit;
  }
  return total;
}

}  // namespace coppice::engine
