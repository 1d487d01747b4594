#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "json/value.h"
#include "kube/client.h"

namespace coppice::cli {

// A group of pods as our scheduler knows it, and the PodGang that it stands for, if any.
struct WhyTarget {
  api::ObjectKey group;
  json::Value gang;
  json::Value pod;        // What was asked for, when it was a pod.
  std::string node_pool;  // Whose scheduler decides; "" is the default one.
  std::string shown_as;   // Instead of a group's name that only our scheduler knows.
};

// The groups behind a name: a pod's, a gang's, those of all gangs of a set, or of their owner.
base::Result<std::vector<WhyTarget>> FindGroups(kube::Client& client, const std::string& ns,
                                                const std::string& target);

}  // namespace coppice::cli
