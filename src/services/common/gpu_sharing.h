#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/edit/core.h"
#include "api/view/core.h"
#include "base/result.h"
#include "json/value.h"

// The GPU request of a pod as several services see it (docs/behaviour/services.md#gpu-requests).
namespace coppice::services {

// Whether the pod requests part of a GPU, by fraction or by memory.
bool IsFractionPod(const json::Value& pod);
// The number of devices; nullopt if the pod requests no part of a GPU. Malformed numbers are
// errors.
base::Result<std::optional<int64_t>> FractionDevices(const json::Value& pod);

// A container of a pod: which list it is in, and where.
struct ContainerPlace {
  bool init = false;
  size_t index = 0;

  view::core::Container In(view::core::PodSpec pod) const {
    return (init ? pod.initContainers() : pod.containers()).At(index);
  }
  edit::core::Container In(edit::core::PodSpec pod) const {
    return (init ? pod.initContainers() : pod.containers()).At(index);
  }
  // "0", or "i0" for an init container.
  std::string Suffix() const { return (init ? "i" : "") + std::to_string(index); }
};

// The container that uses the GPU: the named one, else the first.
base::Result<ContainerPlace> FractionContainer(const json::Value& pod);

// Group ids from the pod's labels, the plain one first; without invalid ones.
std::vector<std::string> GpuGroupsOf(const json::Value& pod);
// The same of what a bind request selects.
std::vector<std::string> GpuGroupsOfRequest(const json::Value& request);
// A group is the value of a label, and has a name.
bool IsGpuGroup(std::string_view text);
// The label that marks membership, by number of devices: its key and value for this group.
std::string GpuGroupLabelKey(const std::string& group, bool many_devices);

}  // namespace coppice::services
