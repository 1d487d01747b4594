#include "services/podgroups/pod_usage.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <array>
#include <charconv>

#include "api/foreign/names.h"
#include "api/view/core.h"
#include "kube/object.h"
#include "services/common/claims.h"
#include "services/common/names.h"

namespace coppice::services::podgroups {
namespace {

using api::foreign::kAmdMemoryPrefix;
constexpr int64_t kMaxDevices = 1'000'000;

base::Result<base::Quantity> ParseAnnotation(const json::Value& pod, std::string_view key) {
  const std::string_view text = kube::Annotation(pod, key);
  base::Result<base::Quantity> parsed = base::Quantity::Parse(text);
  if (parsed && *parsed >= base::Quantity()) return parsed;
  return base::InvalidArgument(
      fmt::format("annotation {} is \"{}\", which is not a quantity", key, text));
}

bool Has(const json::Value& pod, std::string_view key) {
  return view::core::Pod(pod).metadata().annotations().Has(key);
}

base::Result<int64_t> Devices(const json::Value& pod) {
  if (!Has(pod, names::kGpuFractionDevices)) return 1;
  COPPICE_ASSIGN(const base::Quantity count, ParseAnnotation(pod, names::kGpuFractionDevices));
  if (count != base::Quantity::FromUnits(count.Value())) {
    return base::InvalidArgument(
        fmt::format("annotation {} is not an integer", names::kGpuFractionDevices));
  }
  if (count.Value() < 0 || count.Value() > kMaxDevices) {
    return base::InvalidArgument(
        fmt::format("annotation {} is out of range", names::kGpuFractionDevices));
  }
  return count.Value();
}

// By doubling, which keeps the amount exact.
base::Quantity Times(base::Quantity amount, int64_t count) {
  base::Quantity product = base::Quantity();
  for (; count > 0; count >>= 1) {
    if (count & 1) product = product.IsZero() ? amount : product + amount;
    amount += amount;
  }
  return product;
}

base::Result<ResourceMap> ContainerRequests(const json::Value& pod) {
  ResourceMap sum;
  for (const view::core::Container container : view::core::Pod(pod).spec().containers()) {
    COPPICE_ASSIGN(const ResourceMap requests, ResourceMap::Read(container.resources().requests()));
    sum.Add(requests);
  }
  return sum;
}

base::Status AddRequestedShare(const json::Value& pod, ResourceMap& sum) {
  if (!Has(pod, names::kGpuFraction) && !Has(pod, names::kGpuMemory)) return {};
  COPPICE_ASSIGN(const int64_t devices, Devices(pod));
  if (Has(pod, names::kGpuFraction)) {
    COPPICE_ASSIGN(const base::Quantity fraction, ParseAnnotation(pod, names::kGpuFraction));
    sum.Add(std::string(names::kGpuResource), Times(fraction, devices));
  }
  if (Has(pod, names::kGpuMemory)) {
    COPPICE_ASSIGN(const base::Quantity memory, ParseAnnotation(pod, names::kGpuMemory));
    sum.Add(std::string(names::kGpuMemoryResource), Times(memory, devices));
  }
  return {};
}

// The shortest text that means this number, read as a quantity: to a billionth, rounded up.
base::Result<base::Quantity> ExactQuantity(double number) {
  std::array<char, 400> text;  // Enough for the largest and the smallest number.
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  return base::Quantity::Parse({text.data(), end.ptr});
}

base::Result<base::Quantity> ReceivedFraction(const json::Value& pod, const json::Value& node) {
  if (Has(pod, names::kGpuFraction)) return ParseAnnotation(pod, names::kGpuFraction);
  COPPICE_ASSIGN(const base::Quantity wanted, ParseAnnotation(pod, names::kGpuMemory));
  COPPICE_ASSIGN(const base::Quantity whole, GpuMemoryOf(node));
  if (whole.IsZero()) return base::InvalidArgument("the node's GPUs have no memory");
  return ExactQuantity(wanted.ToDouble() / whole.ToDouble());
}

base::Status AddReceivedShare(const json::Value& pod, const json::Value& node, ResourceMap& sum) {
  if (kube::Annotation(pod, names::kReceivedResourceType) != "Fraction") return {};
  if (!Has(pod, names::kGpuFraction) && !Has(pod, names::kGpuMemory)) return {};
  COPPICE_ASSIGN(const base::Quantity fraction, ReceivedFraction(pod, node));
  COPPICE_ASSIGN(const int64_t devices, Devices(pod));
  sum.Add(std::string(names::kGpuResource), Times(fraction, devices));
  return {};
}

ResourceMap ClaimedDevices(const std::vector<json::Value>& claims) {
  ResourceMap sum;
  for (const json::Value& claim : claims) {
    for (const auto& [device_class, count] : GpusOfClaim(claim)) {
      sum.Add(device_class, base::Quantity::FromUnits(count));
    }
  }
  return sum;
}

// "beta.amd.com/gpu.vram.16G": the size is part of the key.
std::optional<base::Quantity> AmdMemory(std::string_view key) {
  if (!key.starts_with(kAmdMemoryPrefix)) return std::nullopt;
  static const re2::RE2 kSize("(\\d+[A-Za-z]*)");
  std::string text;
  if (!re2::RE2::PartialMatch(re2::StringPiece(key.data(), key.size()), kSize, &text)) {
    return std::nullopt;
  }
  const auto size = base::Quantity::Parse(text);
  if (!size) return std::nullopt;
  return base::Quantity::FromUnits(size->Value() / 1'000'000);
}

bool IsPhase(const json::Value& pod, std::string_view phase) {
  return view::core::Pod(pod).status().phase() == phase;
}

}  // namespace

bool IsTerminal(const json::Value& pod) {
  return IsPhase(pod, "Succeeded") || IsPhase(pod, "Failed");
}

bool IsScheduled(const json::Value& pod) {
  if (IsPhase(pod, "Running")) return true;
  return IsPhase(pod, "Pending") && kube::ConditionIs(pod, "PodScheduled", "True");
}

base::Result<base::Quantity> GpuMemoryOf(const json::Value& node) {
  std::optional<base::Quantity> found;
  int vendors = 0;
  for (const auto [label, value] : view::core::Node(node).metadata().labels()) {
    std::optional<base::Quantity> memory = AmdMemory(label);
    if (label == names::kNodeGpuMemory) {
      COPPICE_ASSIGN(memory, base::Quantity::Parse(value));
    }
    if (!memory) continue;
    found = memory;
    ++vendors;
  }
  if (vendors == 1) return *found;
  return base::InvalidArgument(fmt::format("node {} {} its GPUs' memory", kube::Name(node),
                                           vendors == 0 ? "does not tell" : "tells in two ways"));
}

base::Result<PodUsage> UsageOf(const json::Value& pod, const json::Value& node,
                               const std::vector<json::Value>& claims) {
  PodUsage usage;
  if (IsTerminal(pod)) return usage;
  COPPICE_ASSIGN(const ResourceMap containers, ContainerRequests(pod));
  const ResourceMap devices = ClaimedDevices(claims);
  if (IsPhase(pod, "Pending") || IsPhase(pod, "Running")) {
    usage.requested.Add(containers);
    COPPICE_TRY(AddRequestedShare(pod, usage.requested));
    usage.requested.Add(devices);
  }
  if (IsScheduled(pod)) {
    usage.allocated.Add(containers);
    COPPICE_TRY(AddReceivedShare(pod, node, usage.allocated));
    usage.allocated.Add(devices);
  }
  return usage;
}

}  // namespace coppice::services::podgroups
