#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "json/value.h"
#include "kube/client/client.h"

namespace coppice::cli {

// A group of pods as our scheduler knows it, and the objects that it stands for, if any.
struct WhyTarget {
  api::ObjectKey group;
  json::Value pod_group;  // Its own object; null where only our scheduler knows it.
  json::Value gang;
  json::Value owner;      // A Job, Deployment, ReplicaSet, StatefulSet; or a set without gangs.
  json::Value pod;        // What was asked for, when it was a pod.
  std::string node_pool;  // Whose scheduler decides; "" is the default one.
  std::string shown_as;   // Instead of a group's name that only our scheduler knows.
};

// The groups behind a name: a pod's, a gang's, those of all gangs of a set, or of their owner.
base::Result<std::vector<WhyTarget>> FindGroups(kube::Client& client, const std::string& ns,
                                                const std::string& target);

// What users call it: "job/train", "set/serve, gang serve-0".
std::string ShownAs(const WhyTarget& target);

// Of all pods of the namespace, those of the target.
std::vector<json::Value> PodsOf(const WhyTarget& target, const std::vector<json::Value>& pods);

}  // namespace coppice::cli
