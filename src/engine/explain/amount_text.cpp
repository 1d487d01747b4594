#include "engine/explain/amount_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace coppice::engine {
namespace {

constexpr double kGiB = 1 << 30;
constexpr double kMiB = 1 << 20;

std::string BytesText(double bytes) {
  if (bytes >= kGiB || bytes == 0) return PlainNumber(bytes / kGiB) + " GiB";
  return PlainNumber(bytes / kMiB) + " MiB";
}

std::string Counted(double amount, std::string_view noun) {
  return fmt::format("{} {}{}", PlainNumber(amount), noun, amount == 1 ? "" : "s");
}

// For resources beyond those that every node has (docs/behaviour/engine.md S-18).
bool CountsThousandths(const ResourceIndex& resources, int resource) {
  const std::string& name = resources.Name(resource);
  return resource > kPods && !resources.IsMig(resource) && name != "ephemeral-storage" &&
         name != "storage";
}

}  // namespace

double InUnits(const ResourceIndex& resources, int resource, int64_t amount) {
  const bool thousandths = CountsThousandths(resources, resource);
  return static_cast<double>(amount) / (thousandths ? 1000 : 1);
}

std::string PlainNumber(double value) {
  std::string text = fmt::format("{:.3f}", value);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string AmountText(const ResourceIndex& resources, int resource, int64_t amount) {
  const auto value = static_cast<double>(amount);
  if (resource == kGpu) return Counted(value / kGpuUnit, "GPU");
  if (resource == kCpu) return Counted(value / 1000, "core");
  if (resource == kMemory) return BytesText(value);
  if (resource == kPods) return Counted(value, "pod slot");
  const std::string& name = resources.Name(resource);
  const double units = InUnits(resources, resource, amount);
  const bool bytes = name == "ephemeral-storage" || name.starts_with("hugepages-");
  return bytes ? BytesText(units) + " " + name : fmt::format("{} {}", PlainNumber(units), name);
}

std::string NameSome(const std::vector<std::string>& names, size_t most) {
  if (names.empty()) return "";
  if (names.size() == 1) return names[0];
  const bool all = names.size() <= most;
  const size_t shown = all ? names.size() - 1 : most;
  const std::string first =
      fmt::format("{}", fmt::join(names.begin(), names.begin() + static_cast<long>(shown), ", "));
  return all ? fmt::format("{} and {}", first, names.back())
             : fmt::format("{} and {} more", first, names.size() - shown);
}

std::string CountText(int64_t count, std::string_view noun) {
  return Counted(static_cast<double>(count), noun);
}

}  // namespace coppice::engine
