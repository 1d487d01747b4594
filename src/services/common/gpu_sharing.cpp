#include "services/common/gpu_sharing.h"

#include <fmt/format.h>

#include <charconv>

#include "api/selectors/names.h"
#include "api/view/core.h"
#include "api/view/kai.h"
#include "services/common/names.h"

namespace coppice::services {
namespace {

view::Map<std::string_view> AnnotationsOf(const json::Value& pod) {
  return view::core::Pod(pod).metadata().annotations();
}

std::optional<ContainerPlace> FindContainer(const json::Value& pod, bool init,
                                            std::string_view name) {
  const view::core::PodSpec spec = view::core::Pod(pod).spec();
  const auto list = init ? spec.initContainers() : spec.containers();
  for (size_t i = 0; i < list.size(); ++i) {
    if (list.At(i).name() == name) return ContainerPlace{init, i};
  }
  return std::nullopt;
}

}  // namespace

bool IsFractionPod(const json::Value& pod) {
  const auto annotations = AnnotationsOf(pod);
  return annotations.Has(names::kGpuFraction) || annotations.Has(names::kGpuMemory);
}

base::Result<std::optional<int64_t>> FractionDevices(const json::Value& pod) {
  const auto annotations = AnnotationsOf(pod);
  if (!annotations.Has(names::kGpuFractionDevices)) {
    return IsFractionPod(pod) ? std::optional<int64_t>(1) : std::nullopt;
  }
  int64_t count = 0;
  const std::string_view digits = annotations[names::kGpuFractionDevices];
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
  if (error != std::errc() || end != digits.data() + digits.size()) {
    return base::InvalidArgument(fmt::format("annotation {} is \"{}\", which is not an integer",
                                             names::kGpuFractionDevices, digits));
  }
  return std::optional(count);
}

base::Result<ContainerPlace> FractionContainer(const json::Value& pod) {
  const auto annotations = AnnotationsOf(pod);
  if (!annotations.Has(names::kGpuFractionContainer)) return ContainerPlace{};
  const std::string_view name = annotations[names::kGpuFractionContainer];
  for (const bool init : {true, false}) {
    if (const auto found = FindContainer(pod, init, name)) return *found;
  }
  return base::InvalidArgument(
      fmt::format("annotation {} names container \"{}\", which is not there",
                  names::kGpuFractionContainer, name));
}

bool IsGpuGroup(std::string_view text) {
  return !text.empty() && api::LabelValueProblems(text).empty();
}

std::vector<std::string> GpuGroupsOf(const json::Value& pod) {
  std::vector<std::string> groups;
  const auto labels = view::core::Pod(pod).metadata().labels();
  const auto add = [&groups](std::string_view group) {
    if (IsGpuGroup(group)) groups.emplace_back(group);
  };
  add(labels[names::kGpuGroupLabel]);
  for (const auto [key, group] : labels) {
    if (key.starts_with(names::kGpuGroupLabelPrefix)) add(group);
  }
  return groups;
}

std::vector<std::string> GpuGroupsOfRequest(const json::Value& request) {
  std::vector<std::string> groups;
  for (const std::string_view group : view::kai::BindRequest(request).spec().selectedGPUGroups()) {
    if (IsGpuGroup(group)) groups.emplace_back(group);
  }
  return groups;
}

std::string GpuGroupLabelKey(const std::string& group, bool many_devices) {
  return many_devices ? std::string(names::kGpuGroupLabelPrefix) + group
                      : std::string(names::kGpuGroupLabel);
}

}  // namespace coppice::services
