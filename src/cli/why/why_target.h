#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "json/value.h"
#include "kube/client/client.h"

namespace coppice::cli {

// A group of pods as our scheduler knows it, and the objects that it represents, if any.
struct WhyTarget {
  api::ObjectKey group;
  json::Value pod_group;  // Its own object; null if only our scheduler knows it.
  json::Value gang;
  json::Value owner;      // A Job, Deployment, ReplicaSet or StatefulSet; or a set without gangs.
  json::Value pod;        // The requested pod, if the target was a pod.
  std::string node_pool;  // Whose scheduler decides; "" is the default.
  std::string shown_as;   // Shown instead of a group name that only our scheduler knows.
};

// The groups behind a name: of a pod, of a gang, of all gangs of a set, or of their owner.
base::Result<std::vector<WhyTarget>> FindGroups(kube::Client& client, const std::string& ns,
                                                const std::string& target);

// The groups of an object that was read already.
base::Result<std::vector<WhyTarget>> GroupsOfObject(kube::Client& client,
                                                    const json::Value& object);

// The name that users know: "job/train", "set/serve, gang serve-0".
std::string ShownAs(const WhyTarget& target);

// The pods of the target among all pods of the namespace.
std::vector<json::Value> PodsOf(const WhyTarget& target, const std::vector<json::Value>& pods);

}  // namespace coppice::cli
