#include "services/scheduler/read/containers.h"

#include <set>

#include "services/scheduler/read/pods.h"
#include "services/scheduler/read/selectors.h"

namespace coppice::services::scheduler {
namespace {

// Requests default to limits, as the API server sets them.
engine::ResourceList Requests(const json::Value& container) {
  engine::ResourceList requests = ReadResourceList(container["resources"]["requests"]);
  if (container["resources"].Has("limits")) {
    requests.merge(ReadResourceList(container["resources"]["limits"]));
  }
  return requests;
}

std::vector<engine::HostPort> HostPorts(const json::Value& container) {
  std::vector<engine::HostPort> out;
  for (const json::Value& port : container["ports"].Items()) {
    const int64_t number = port["hostPort"].AsInt();
    if (number == 0) continue;
    out.push_back(
        {port["hostIP"].ToString(), port["protocol"].ToString(), static_cast<int>(number)});
  }
  return out;
}

void AddReference(const json::Value& reference, std::set<std::string>& names) {
  if (reference.IsNull() || reference["optional"].AsBool()) return;
  const std::string_view name = reference["name"].AsString();
  if (!name.empty()) names.emplace(name);
}

void AddVolume(const json::Value& volume, std::set<std::string>& names) {
  AddReference(volume["configMap"], names);
  for (const json::Value& source : volume["projected"]["sources"].Items()) {
    AddReference(source["configMap"], names);
  }
}

bool Mounts(const json::Value& container, std::string_view volume) {
  for (const json::Value& mount : container["volumeMounts"].Items()) {
    if (mount["name"].AsString() == volume) return true;
  }
  return false;
}

std::vector<std::string> ConfigMaps(const json::Value& pod, const json::Value& container) {
  std::set<std::string> names;
  for (const json::Value& env : container["env"].Items()) {
    AddReference(env["valueFrom"]["configMapKeyRef"], names);
  }
  for (const json::Value& source : container["envFrom"].Items()) {
    AddReference(source["configMapRef"], names);
  }
  for (const json::Value& volume : pod["spec"]["volumes"].Items()) {
    if (Mounts(container, volume["name"].AsString())) AddVolume(volume, names);
  }
  return {names.begin(), names.end()};
}

engine::ContainerSpec ReadContainer(const json::Value& pod, const json::Value& container,
                                    engine::ContainerKind kind) {
  return {container["name"].ToString(), kind, Requests(container), HostPorts(container),
          ConfigMaps(pod, container)};
}

bool IsSidecar(const json::Value& container) {
  return container["restartPolicy"].AsString() == "Always";
}

// Adds one container's part in the quality of service: whether it asks for anything, and whether
// cpu and memory are both limited to what it asks for.
struct QosCount {
  bool any = false;
  bool guaranteed = true;

  void Add(const json::Value& container) {
    const engine::ResourceList requests = Requests(container);
    const engine::ResourceList limits = ReadResourceList(container["resources"]["limits"]);
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

std::vector<engine::ContainerSpec> ReadContainers(const json::Value& pod) {
  std::vector<engine::ContainerSpec> out;
  for (const json::Value& container : pod["spec"]["containers"].Items()) {
    out.push_back(ReadContainer(pod, container, engine::ContainerKind::kApp));
  }
  for (const json::Value& container : pod["spec"]["initContainers"].Items()) {
    out.push_back(ReadContainer(
        pod, container,
        IsSidecar(container) ? engine::ContainerKind::kSidecar : engine::ContainerKind::kInit));
  }
  return out;
}

engine::QosClass QosOf(const json::Value& pod) {
  const std::string_view reported = pod["status"]["qosClass"].AsString();
  if (reported == "Guaranteed") return engine::QosClass::kGuaranteed;
  if (reported == "Burstable") return engine::QosClass::kBurstable;
  if (reported == "BestEffort") return engine::QosClass::kBestEffort;
  QosCount count;
  for (const char* list : {"containers", "initContainers"}) {
    for (const json::Value& container : pod["spec"][list].Items()) count.Add(container);
  }
  if (!count.any) return engine::QosClass::kBestEffort;
  return count.guaranteed ? engine::QosClass::kGuaranteed : engine::QosClass::kBurstable;
}

}  // namespace coppice::services::scheduler
