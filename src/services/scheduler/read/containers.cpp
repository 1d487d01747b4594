#include "services/scheduler/read/containers.h"

#include <set>

#include "services/scheduler/read/pods.h"
#include "services/scheduler/read/selectors.h"

namespace coppice::services::scheduler {
namespace {

using view::core::Container;

// Requests default to limits, as the API server sets them.
engine::ResourceList Requests(Container container) {
  engine::ResourceList requests = ReadResourceList(container.resources().requests());
  if (container.resources().has_limits()) {
    requests.merge(ReadResourceList(container.resources().limits()));
  }
  return requests;
}

std::vector<engine::HostPort> HostPorts(Container container) {
  std::vector<engine::HostPort> out;
  for (const view::core::ContainerPort port : container.ports()) {
    const int64_t number = port.hostPort();
    if (number == 0) continue;
    out.push_back(
        {std::string(port.hostIP()), std::string(port.protocol()), static_cast<int>(number)});
  }
  return out;
}

template <typename ConfigMapReference>
void AddReference(ConfigMapReference reference, std::set<std::string>& names) {
  if (!reference || reference.optional()) return;
  const std::string_view name = reference.name();
  if (!name.empty()) names.emplace(name);
}

void AddVolume(view::core::Volume volume, std::set<std::string>& names) {
  AddReference(volume.configMap(), names);
  for (const view::core::VolumeProjection source : volume.projected().sources()) {
    AddReference(source.configMap(), names);
  }
}

bool Mounts(Container container, std::string_view volume) {
  for (const view::core::VolumeMount mount : container.volumeMounts()) {
    if (mount.name() == volume) return true;
  }
  return false;
}

std::vector<std::string> ConfigMaps(view::core::PodSpec pod, Container container) {
  std::set<std::string> names;
  for (const view::core::EnvVar env : container.env()) {
    AddReference(env.valueFrom().configMapKeyRef(), names);
  }
  for (const view::core::EnvFromSource source : container.envFrom()) {
    AddReference(source.configMapRef(), names);
  }
  for (const view::core::Volume volume : pod.volumes()) {
    if (Mounts(container, volume.name())) AddVolume(volume, names);
  }
  return {names.begin(), names.end()};
}

engine::ContainerSpec ReadContainer(view::core::PodSpec pod, Container container,
                                    engine::ContainerKind kind) {
  return {std::string(container.name()), kind, Requests(container), HostPorts(container),
          ConfigMaps(pod, container)};
}

bool IsSidecar(Container container) { return container.restartPolicy() == "Always"; }

// Adds one container's part in the quality of service: whether it asks for anything, and whether
// cpu and memory are both limited to what it asks for.
struct QosCount {
  bool any = false;
  bool guaranteed = true;

  void Add(Container container) {
    const engine::ResourceList requests = Requests(container);
    const engine::ResourceList limits = ReadResourceList(container.resources().limits());
    for (const char* name : {"cpu", "memory"}) {
      const auto request = requests.find(name);
      const auto limit = limits.find(name);
      if (request != requests.end() && !request->second.IsZero()) any = true;
      if (limit != limits.end() && !limit->second.IsZero()) any = true;
      if (request == requests.end() || limit == limits.end() || request->second != limit->second ||
          limit->second.IsZero()) {
        guaranteed = false;
      }
    }
  }
};

}  // namespace

std::vector<engine::ContainerSpec> ReadContainers(view::core::PodSpec pod) {
  std::vector<engine::ContainerSpec> out;
  for (const Container container : pod.containers()) {
    out.push_back(ReadContainer(pod, container, engine::ContainerKind::kApp));
  }
  for (const Container container : pod.initContainers()) {
    out.push_back(ReadContainer(
        pod, container,
        IsSidecar(container) ? engine::ContainerKind::kSidecar : engine::ContainerKind::kInit));
  }
  return out;
}

engine::QosClass QosOf(view::core::Pod pod) {
  const std::string_view reported = pod.status().qosClass();
  if (reported == "Guaranteed") return engine::QosClass::kGuaranteed;
  if (reported == "Burstable") return engine::QosClass::kBurstable;
  if (reported == "BestEffort") return engine::QosClass::kBestEffort;
  QosCount count;
  for (const Container container : pod.spec().containers()) count.Add(container);
  for (const Container container : pod.spec().initContainers()) count.Add(container);
  if (!count.any) return engine::QosClass::kBestEffort;
  return count.guaranteed ? engine::QosClass::kGuaranteed : engine::QosClass::kBurstable;
}

}  // namespace coppice::services::scheduler
