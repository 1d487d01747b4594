#include "services/admission/device_access.h"

#include <fmt/format.h>

#include "base/quantity.h"
#include "services/common/gpu_sharing.h"
#include "services/names.h"

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

base::Status CheckContainer(const json::Value& container) {
  for (const json::Value& env : container["env"].Items()) {
    if (env["name"].AsString() != kVariable) continue;
    const std::string_view value = env["value"].AsString();
    if (value == "void" || value == "none") continue;
    if (!value.empty()) return BadValue(container["name"].AsString(), value);
    if (!env["valueFrom"].IsNull()) return BadSource(container["name"].AsString());
  }
  return {};
}

bool RequestsGpu(const json::Value& container) {
  for (const json::Member& request : container["resources"]["requests"].Members()) {
    if (request.name() != names::kGpuResource && !request.name().starts_with(names::kMigPrefix)) {
      continue;
    }
    const auto amount = base::Quantity::Parse(request.value.AsString());
    if (!amount || !amount->IsZero()) return true;
  }
  return false;
}

void HideDevices(json::Value& container) {
  for (json::Value& env : container.Mutable("env").MutableItems()) {
    if (env["name"].AsString() != kVariable) continue;
    env.Set("value", "void");
    return;
  }
  container.Mutable("env").Append(json::Value::Object({{"name", kVariable}, {"value", "void"}}));
}

}  // namespace

base::Status ValidateDeviceAccess(const json::Value& pod) {
  const auto exempt = ExemptContainer(pod);
  for (const bool init : {true, false}) {
    const json::Value& list = pod["spec"][ContainerPlace{init, 0}.list()];
    for (size_t i = 0; i < list.size(); ++i) {
      if (!IsExempt(exempt, init, i)) COPPICE_TRY(CheckContainer(list.At(i)));
    }
  }
  return {};
}

void MutateDeviceAccess(json::Value& pod) {
  const auto exempt = ExemptContainer(pod);
  for (const bool init : {true, false}) {
    const char* name = ContainerPlace{init, 0}.list();
    for (size_t i = 0; i < pod["spec"][name].size(); ++i) {
      if (IsExempt(exempt, init, i) || RequestsGpu(pod["spec"][name].At(i))) continue;
      HideDevices(pod.Mutable("spec").Mutable(name).MutableAt(i));
    }
  }
}

void MutateRuntimeClass(const std::string& runtime_class, json::Value& pod) {
  if (runtime_class.empty() || !IsFractionPod(pod)) return;
  if (pod["spec"]["runtimeClassName"].AsString().empty()) {
    pod.Mutable("spec").Set("runtimeClassName", runtime_class);
  }
}

}  // namespace coppice::services::admission
