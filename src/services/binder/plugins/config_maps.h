#pragma once

#include <map>
#include <string>

#include "base/result.h"
#include "json/value.h"
#include "kube/client/client.h"

// The two ConfigMaps through which a container of a GPU-sharing pod learns its devices.
namespace coppice::services::binder {

struct SharingMaps {
  std::string capabilities;
  std::string environment;
};

// Their names, from the annotation that admission left on the pod.
base::Result<SharingMaps> SharingMapsOf(const json::Value& pod);

// Creates the map for the pod, or sets these keys in it; an existing map of another owner is
// adopted.
base::Status UpsertConfigMap(kube::Client& client, const json::Value& pod, const std::string& name,
                             const std::map<std::string, std::string>& data);
// Missing is fine.
base::Status DeleteConfigMap(kube::Client& client, const json::Value& pod, const std::string& name);

}  // namespace coppice::services::binder
