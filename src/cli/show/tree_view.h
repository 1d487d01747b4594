#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "json/value.h"
#include "kube/client/client.h"

namespace coppice::cli {

// What runs where: sets, their gangs, the cliques of each gang and the pods with their nodes; then
// pod groups and pods that belong to no set. `ns` and `name` filter the result ("" means all). The
// name is that of a set, a gang, a clique, a PodGroup, the owner of a PodGroup, or a pod.
//
//   {"sets": [{"name", "namespace", "replicas", "gangs": [{"name", "phase", "scheduler",
//     "reason", "groups": [{"name", "minReplicas", "pods": [{"name", "phase", "ready", "node",
//     "domain", "gpus"}]}]}]}], "groups": [{"name", "queue", "phase", "reason", "pods": […]}]}
base::Result<json::Value> ReadTree(kube::Client& client, std::string_view ns,
                                   std::string_view name);

// The same as text for humans.
std::string FormatTree(const json::Value& tree);

}  // namespace coppice::cli
