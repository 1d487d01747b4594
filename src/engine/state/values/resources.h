#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/quantity.h"
#include "engine/model/input.h"

namespace coppice::engine {

// Amounts by resource index, in scaled integers: cpu in millicores, memory in bytes, GPUs in
// thousandths of a device, pods in pods, the rest as in docs/behaviour/engine.md S-18. Entries past
// the end are zero.
using Amounts = std::vector<int64_t>;

inline constexpr int kCpu = 0;
inline constexpr int kMemory = 1;
inline constexpr int kGpu = 2;
inline constexpr int kPods = 3;
inline constexpr int64_t kGpuUnit = 1000;
constexpr double InDevices(int64_t thousandths) {
  return static_cast<double>(thousandths) / kGpuUnit;
}

// Maps resource names to indices. Grows as names appear; an index never changes.
class ResourceIndex {
 public:
  // `foreign_gpu_milli`: GPUs of vendors other than NVIDIA and AMD are scaled by a thousand, as in
  // upstream.
  explicit ResourceIndex(bool foreign_gpu_milli = false);

  // Registers the name if needed; nullopt for names that are not schedulable resources.
  std::optional<int> IndexOf(std::string_view name);
  int size() const { return static_cast<int>(entries_.size()); }
  const std::string& Name(int index) const { return entries_[index].name; }
  // GPU slices of one MIG instance of this resource; 0 for everything else.
  int MigSlices(int index) const { return entries_[index].mig_slices; }
  int64_t MigMemoryGb(int index) const { return entries_[index].mig_gb; }
  bool IsMig(int index) const { return entries_[index].mig_slices > 0; }

  // Adds a list of quantities to `into`, in scaled units.
  void Add(const ResourceList& list, Amounts& into);
  int64_t Scale(int index, std::string_view name, const base::Quantity& quantity) const;

 private:
  struct Entry {
    std::string name;
    int mig_slices = 0;
    int64_t mig_gb = 0;
  };
  std::vector<Entry> entries_;
  bool foreign_gpu_milli_;
};

inline int64_t At(std::span<const int64_t> amounts, int index) {
  return index < static_cast<int>(amounts.size()) ? amounts[index] : 0;
}
void AddTo(Amounts& into, std::span<const int64_t> amounts);
void MaxTo(Amounts& into, std::span<const int64_t> amounts);
bool LessEqual(std::span<const int64_t> a, std::span<const int64_t> b);
// Whole and shared devices plus MIG slices, in thousandths.
int64_t TotalGpus(const ResourceIndex& index, std::span<const int64_t> amounts);

}  // namespace coppice::engine
