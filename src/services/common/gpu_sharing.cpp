#include "services/common/gpu_sharing.h"

#include <fmt/format.h>

#include <charconv>

#include "kube/object.h"
#include "services/names.h"

namespace coppice::services {
namespace {

const json::Value* FindAnnotation(const json::Value& pod, std::string_view key) {
  return pod["metadata"]["annotations"].Find(key);
}

std::optional<ContainerPlace> FindContainer(const json::Value& pod, bool init,
                                            std::string_view name) {
  const json::Value& list = pod["spec"][ContainerPlace{init, 0}.list()];
  for (size_t i = 0; i < list.size(); ++i) {
    if (list.At(i)["name"].AsString() == name) return ContainerPlace{init, i};
  }
  return std::nullopt;
}

}  // namespace

bool IsFractionPod(const json::Value& pod) {
  return FindAnnotation(pod, names::kGpuFraction) || FindAnnotation(pod, names::kGpuMemory);
}

base::Result<std::optional<int64_t>> FractionDevices(const json::Value& pod) {
  const json::Value* text = FindAnnotation(pod, names::kGpuFractionDevices);
  if (!text) return IsFractionPod(pod) ? std::optional<int64_t>(1) : std::nullopt;
  int64_t count = 0;
  const std::string_view digits = text->AsString();
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
  if (error != std::errc() || end != digits.data() + digits.size()) {
    return base::InvalidArgument(fmt::format("annotation {} is \"{}\", which is not an integer",
                                             names::kGpuFractionDevices, digits));
  }
  return std::optional(count);
}

base::Result<ContainerPlace> FractionContainer(const json::Value& pod) {
  const json::Value* name = FindAnnotation(pod, names::kGpuFractionContainer);
  if (!name) return ContainerPlace{};
  for (const bool init : {true, false}) {
    if (const auto found = FindContainer(pod, init, name->AsString())) return *found;
  }
  return base::InvalidArgument(
      fmt::format("annotation {} names container \"{}\", which is not there",
                  names::kGpuFractionContainer, name->AsString()));
}

std::vector<std::string> GpuGroupsOf(const json::Value& pod) {
  std::vector<std::string> groups;
  const json::Value& labels = pod["metadata"]["labels"];
  if (const json::Value* plain = labels.Find(names::kGpuGroupLabel)) {
    groups.push_back(plain->ToString());
  }
  for (const json::Member& label : labels.Members()) {
    if (label.name().starts_with(names::kGpuGroupLabelPrefix)) {
      groups.push_back(label.value.ToString());
    }
  }
  return groups;
}

std::string GpuGroupLabelKey(const std::string& group, bool many_devices) {
  return many_devices ? std::string(names::kGpuGroupLabelPrefix) + group
                      : std::string(names::kGpuGroupLabel);
}

}  // namespace coppice::services
