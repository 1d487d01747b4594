#include "services/admission/device_access.h"

#include <fmt/format.h>

#include "api/edit/core.h"
#include "base/quantity.h"
#include "services/common/gpu_sharing.h"
#include "services/common/names.h"

namespace coppice::services::admission {
namespace {

constexpr const char* kVariable = "NVIDIA_VISIBLE_DEVICES";

std::optional<ContainerPlace> ExemptContainer(const json::Value& pod) {
  if (!IsFractionPod(pod)) return std::nullopt;
  const auto place = FractionContainer(pod);
  if (!place) return std::nullopt;
  return *place;
}

bool IsExempt(const std::optional<ContainerPlace>& exempt, bool init, size_t index) {
  return exempt && exempt->init == init && exempt->index == index;
}

base::Error BadValue(std::string_view container, std::string_view value) {
  return base::Error(
      base::ErrorCode::kForbidden,
      fmt::format(
          "container {} has an environment variable NVIDIA_VISIBLE_DEVICES defined with a "
          "value of {}. This is forbidden due to conflicts with Nvidia's device plugin. The "
          "only values that are allowed are 'void' or 'none'",
          container, value));
}

base::Error BadSource(std::string_view container) {
  return base::Error(
      base::ErrorCode::kForbidden,
      fmt::format("container {} has an environment variable NVIDIA_VISIBLE_DEVICES defined with a "
                  "valueFrom reference. This is forbidden due to possible conflicts with Nvidia's "
                  "device plugin",
                  container));
}

base::Status CheckContainer(view::core::Container container) {
  for (const view::core::EnvVar env : container.env()) {
    if (env.name() != kVariable) continue;
    const std::string_view value = env.value();
    if (value == "void" || value == "none") continue;
    if (!value.empty()) return BadValue(container.name(), value);
    if (env.valueFrom()) return BadSource(container.name());
  }
  return {};
}

bool RequestsGpu(view::core::Container container) {
  for (const auto& [name, quantity] : container.resources().requests()) {
    if (name != names::kGpuResource && !name.starts_with(names::kMigPrefix)) continue;
    const auto amount = base::Quantity::Parse(quantity.AsString());
    if (!amount || !amount->IsZero()) return true;
  }
  return false;
}

void HideDevices(edit::core::Container container) {
  const auto env = container.env();
  for (size_t i = 0; i < env.size(); ++i) {
    const edit::core::EnvVar variable = env.At(i);
    if (view::core::EnvVar(variable.Json()).name() != kVariable) continue;
    variable.set_value("void");
    return;
  }
  env.Add().set_name(kVariable).set_value("void");
}

// Containers of each kind, but for the one that may reach its part of a GPU.
std::vector<ContainerPlace> Places(view::core::Pod pod) {
  const auto exempt = ExemptContainer(pod.Json());
  std::vector<ContainerPlace> places;
  for (const bool init : {true, false}) {
    const auto list = init ? pod.spec().initContainers() : pod.spec().containers();
    for (size_t i = 0; i < list.size(); ++i) {
      if (!IsExempt(exempt, init, i)) places.push_back({init, i});
    }
  }
  return places;
}

}  // namespace

base::Status ValidateDeviceAccess(view::core::Pod pod) {
  for (const ContainerPlace& place : Places(pod)) {
    COPPICE_TRY(CheckContainer(place.In(pod.spec())));
  }
  return {};
}

void MutateDeviceAccess(json::Value& pod) {
  for (const ContainerPlace& place : Places(view::core::Pod(pod))) {
    if (RequestsGpu(place.In(view::core::Pod(pod).spec()))) continue;
    HideDevices(place.In(edit::core::Pod(pod).spec()));
  }
}

void MutateRuntimeClass(const std::string& runtime_class, json::Value& pod) {
  if (runtime_class.empty() || !IsFractionPod(pod)) return;
  if (view::core::Pod(pod).spec().runtimeClassName().empty()) {
    edit::core::Pod(pod).spec().set_runtimeClassName(runtime_class);
  }
}

}  // namespace coppice::services::admission
