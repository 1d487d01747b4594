#include "services/admission/gpu_sharing.h"

#include <fmt/format.h>

#include <cctype>

#include "api/edit/core.h"
#include "api/view/core.h"
#include "kube/object.h"
#include "services/admission/gpu_numbers.h"
#include "services/common/gpu_sharing.h"
#include "services/common/names.h"

namespace coppice::services::admission {
namespace {

constexpr int kRandomLength = 7;
constexpr const char* kVariables[] = {"NVIDIA_VISIBLE_DEVICES", "RUNAI_NUM_OF_GPUS", "GPU_PORTION"};

bool Has(const json::Value& pod, std::string_view annotation) {
  return view::core::Pod(pod).metadata().annotations().Has(annotation);
}

bool HasGpuLimit(view::core::PodSpec pod) {
  for (const auto& list : {pod.containers(), pod.initContainers()}) {
    for (const view::core::Container container : list) {
      if (container.resources().limits().Has(names::kGpuResource)) return true;
    }
  }
  return false;
}

base::Error Refuse(std::string message) {
  return base::Error(base::ErrorCode::kForbidden, std::move(message));
}

base::Status CheckCombination(const json::Value& pod) {
  const bool fraction = Has(pod, names::kGpuFraction);
  const bool memory = Has(pod, names::kGpuMemory);
  const bool whole = HasGpuLimit(view::core::Pod(pod).spec());
  if (kube::Annotation(pod, names::kMps) == "true" && !fraction && !memory) {
    return Refuse("MPS is only supported with GPU fraction request");
  }
  if (fraction && whole) {
    return Refuse("cannot have both GPU fraction request and whole GPU resource request/limit");
  }
  if (memory && (fraction || whole)) {
    return Refuse("cannot request both GPU and GPU memory");
  }
  if (Has(pod, names::kGpuFractionDevices) && !fraction && !memory) {
    return Refuse(
        "cannot request multiple fractional devices without specifying fraction portion "
        "or gpu-memory");
  }
  return {};
}

base::Status CheckFraction(std::string_view text) {
  switch (ReadFraction(text)) {
    case Fraction::kGood:
      return {};
    case Fraction::kOutOfRange:
      return Refuse("gpu-fraction annotation value must be a positive number smaller than 1.0");
    case Fraction::kNoQuantity:
      return Refuse(
          fmt::format("gpu-fraction annotation value must be a float written with a "
                      "decimal point or a scientific notation .given value: {}",
                      text));
  }
  return {};
}

base::Status CheckNumbers(const json::Value& pod) {
  if (Has(pod, names::kGpuMemory) && !IsPositiveInteger(kube::Annotation(pod, names::kGpuMemory))) {
    return Refuse("gpu-memory annotation value must be a positive integer greater than 0");
  }
  if (Has(pod, names::kGpuFraction)) {
    COPPICE_TRY(CheckFraction(kube::Annotation(pod, names::kGpuFraction)));
  }
  if (Has(pod, names::kGpuFractionDevices) &&
      !IsPositiveInteger(kube::Annotation(pod, names::kGpuFractionDevices))) {
    return Refuse("fraction count annotation value must be a positive integer greater than 0");
  }
  return {};
}

std::string_view BaseName(view::meta::ObjectMeta pod) {
  const auto owners = pod.ownerReferences();
  if (!owners.empty()) return owners.At(0).name();
  return pod.name().empty() ? pod.generateName() : pod.name();
}

// Short enough for every name that is made from it.
std::string Prefix(const json::Value& pod, const ContainerPlace& place, const RandomText& random) {
  const size_t room = 63 - 13 - 10 - place.Suffix().size() - 1 - 5;
  std::string base(BaseName(view::core::Pod(pod).metadata()).substr(0, room));
  while (!base.empty() && (base.back() == '.' || base.back() == '-')) base.pop_back();
  return fmt::format("{}-{}-shared-gpu", base, random(kRandomLength));
}

std::string EnsurePrefix(const ContainerPlace& place, const RandomText& random, json::Value& pod) {
  const std::string_view present = kube::Annotation(pod, names::kSharedGpuConfigMap);
  if (!present.empty()) return std::string(present);
  const std::string prefix = Prefix(pod, place, random);
  edit::core::Pod(pod).metadata().annotations().Set(names::kSharedGpuConfigMap, prefix);
  return prefix;
}

// The item of this name, with nothing else in it; a new one where there is none.
template <typename Item>
Item Renewed(const edit::List<Item>& list, std::string_view name) {
  for (size_t i = 0; i < list.size(); ++i) {
    json::Value& item = list.At(i).Json();
    // A volume has its name in the same place.
    if (view::core::EnvVar(item).name() != name) continue;
    item = json::Value::Object();
    return Item(item).set_name(name);
  }
  return list.Add().set_name(name);
}

edit::core::ConfigMapKeySelector SetFromKey(std::string_view variable, const std::string& map,
                                            edit::core::Container container) {
  return Renewed(container.env(), variable)
      .valueFrom()
      .configMapKeyRef()
      .set_name(map)
      .set_key(variable);
}

std::string VolumeName(const std::string& map) {
  std::string name;
  for (const char c : map + "-vol") {
    const char lower = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const bool allowed = std::isalnum(static_cast<unsigned char>(lower)) || lower == '-';
    if (allowed) {
      name += lower;
    } else if (name.empty() || name.back() != '-') {
      name += '-';
    }
  }
  name.erase(0, name.find_first_not_of('-'));
  name.erase(name.find_last_not_of('-') + 1);
  return name;
}

void AddEnvFrom(const std::string& map, edit::core::Container container) {
  for (const auto source : view::core::Container(container.Json()).envFrom()) {
    if (source.configMapRef().name() == map) return;
  }
  container.add_envFrom().configMapRef().set_name(map).set_optional(false);
}

base::Result<ContainerPlace> Place(const json::Value& pod) {
  base::Result<ContainerPlace> place = FractionContainer(pod);
  if (place) return place;
  return Refuse(fmt::format(
      "failed to get fraction container ref: container with name {} not found for fraction request",
      kube::Annotation(pod, names::kGpuFractionContainer)));
}

}  // namespace

base::Status ValidateGpuSharing(const json::Value& pod, bool sharing_enabled) {
  if (!sharing_enabled && IsFractionPod(pod)) {
    return Refuse(fmt::format(
        "attempting to create a pod {}/{} with gpu sharing request, while GPU sharing is disabled",
        kube::Namespace(pod), kube::Name(pod)));
  }
  COPPICE_TRY(CheckCombination(pod));
  return CheckNumbers(pod);
}

base::Status MutateGpuSharing(const RandomText& random, json::Value& pod) {
  if (!IsFractionPod(pod) || view::core::Pod(pod).spec().containers().empty()) return {};
  COPPICE_ASSIGN(const ContainerPlace place, Place(pod));
  const std::string map = EnsurePrefix(place, random, pod) + "-" + place.Suffix();
  const edit::core::PodSpec spec = edit::core::Pod(pod).spec();
  for (const char* variable : kVariables) SetFromKey(variable, map, place.In(spec));
  AddEnvFrom(map + "-evar", place.In(spec));
  Renewed(spec.volumes(), VolumeName(map)).configMap().set_name(map);
  return {};
}

base::Status MutateHamiCore(json::Value& pod) {
  if (!IsFractionPod(pod) || view::core::Pod(pod).spec().containers().empty()) return {};
  COPPICE_ASSIGN(const ContainerPlace place, Place(pod));
  const std::string map =
      fmt::format("{}-{}", kube::Annotation(pod, names::kSharedGpuConfigMap), place.Suffix());
  const edit::core::Container container = place.In(edit::core::Pod(pod).spec());
  SetFromKey("CUDA_DEVICE_MEMORY_LIMIT", map, container).set_optional(true);
  return {};
}

}  // namespace coppice::services::admission
