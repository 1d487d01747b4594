#include "services/admission/gpu_sharing.h"

#include <fmt/format.h>

#include <cctype>

#include "kube/object.h"
#include "services/admission/gpu_numbers.h"
#include "services/common/gpu_sharing.h"
#include "services/names.h"

namespace coppice::services::admission {
namespace {

constexpr int kRandomLength = 7;
constexpr const char* kVariables[] = {"NVIDIA_VISIBLE_DEVICES", "RUNAI_NUM_OF_GPUS", "GPU_PORTION"};

bool Has(const json::Value& pod, std::string_view annotation) {
  return pod["metadata"]["annotations"].Has(annotation);
}

bool HasGpuLimit(const json::Value& pod) {
  for (const char* list : {"containers", "initContainers"}) {
    for (const json::Value& container : pod["spec"][list].Items()) {
      if (container["resources"]["limits"].Has(names::kGpuResource)) return true;
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
  if (kube::Annotation(pod, names::kMps) == "true" && !fraction && !memory) {
    return Refuse("MPS is only supported with GPU fraction request");
  }
  if (fraction && HasGpuLimit(pod)) {
    return Refuse("cannot have both GPU fraction request and whole GPU resource request/limit");
  }
  if (memory && (fraction || HasGpuLimit(pod))) {
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

std::string_view BaseName(const json::Value& pod) {
  const json::Value& owner = pod["metadata"]["ownerReferences"].At(0);
  if (!owner.IsNull()) return owner["name"].AsString();
  const std::string_view name = kube::Name(pod);
  return name.empty() ? pod["metadata"]["generateName"].AsString() : name;
}

// Short enough for every name that is made from it.
std::string Prefix(const json::Value& pod, const ContainerPlace& place, const RandomText& random) {
  const size_t room = 63 - 13 - 10 - place.Suffix().size() - 1 - 5;
  std::string base(BaseName(pod).substr(0, room));
  while (!base.empty() && (base.back() == '.' || base.back() == '-')) base.pop_back();
  return fmt::format("{}-{}-shared-gpu", base, random(kRandomLength));
}

std::string EnsurePrefix(const ContainerPlace& place, const RandomText& random, json::Value& pod) {
  const std::string_view present = kube::Annotation(pod, names::kSharedGpuConfigMap);
  if (!present.empty()) return std::string(present);
  const std::string prefix = Prefix(pod, place, random);
  pod.Mutable("metadata").Mutable("annotations").Set(names::kSharedGpuConfigMap, prefix);
  return prefix;
}

json::Value FromKey(std::string_view variable, const std::string& map, bool optional) {
  json::Value reference = json::Value::Object({{"name", map}, {"key", variable}});
  if (optional) reference.Set("optional", true);
  return json::Value::Object(
      {{"name", variable},
       {"valueFrom", json::Value::Object({{"configMapKeyRef", std::move(reference)}})}});
}

void SetByName(json::Value& list, json::Value item) {
  for (json::Value& present : list.MutableItems()) {
    if (present["name"] != item["name"]) continue;
    present = std::move(item);
    return;
  }
  list.Append(std::move(item));
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

void AddEnvFrom(const std::string& map, json::Value& container) {
  for (const json::Value& source : container["envFrom"].Items()) {
    if (source["configMapRef"]["name"].AsString() == map) return;
  }
  container.Mutable("envFrom").Append(json::Value::Object(
      {{"configMapRef", json::Value::Object({{"name", map}, {"optional", false}})}}));
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
  if (!IsFractionPod(pod) || pod["spec"]["containers"].empty()) return {};
  COPPICE_ASSIGN(const ContainerPlace place, Place(pod));
  const std::string map = EnsurePrefix(place, random, pod) + "-" + place.Suffix();
  json::Value& container = pod.Mutable("spec").Mutable(place.list()).MutableAt(place.index);
  for (const char* variable : kVariables) {
    SetByName(container.Mutable("env"), FromKey(variable, map, false));
  }
  AddEnvFrom(map + "-evar", container);
  SetByName(pod.Mutable("spec").Mutable("volumes"),
            json::Value::Object(
                {{"name", VolumeName(map)}, {"configMap", json::Value::Object({{"name", map}})}}));
  return {};
}

base::Status MutateHamiCore(json::Value& pod) {
  if (!IsFractionPod(pod) || pod["spec"]["containers"].empty()) return {};
  COPPICE_ASSIGN(const ContainerPlace place, Place(pod));
  const std::string map =
      fmt::format("{}-{}", kube::Annotation(pod, names::kSharedGpuConfigMap), place.Suffix());
  json::Value& container = pod.Mutable("spec").Mutable(place.list()).MutableAt(place.index);
  SetByName(container.Mutable("env"), FromKey("CUDA_DEVICE_MEMORY_LIMIT", map, true));
  return {};
}

}  // namespace coppice::services::admission
