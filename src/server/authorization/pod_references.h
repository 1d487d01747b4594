#pragma once

#include <set>
#include <string>

#include "json/value.h"

namespace coppice::server {

// The objects of its own namespace that a pod names, and that its node needs to run it.
struct PodReferences {
  std::set<std::string, std::less<>> secrets;
  std::set<std::string, std::less<>> config_maps;
  std::set<std::string, std::less<>> volume_claims;
  std::set<std::string, std::less<>> resource_claims;
  std::string service_account;
};

PodReferences ReferencesOf(const json::Value& pod);
// Whether the pod only shows what a kubelet runs from a file: such a pod may reference nothing.
bool IsMirrorPod(const json::Value& pod);

}  // namespace coppice::server
