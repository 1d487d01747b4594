#pragma once

#include "kube/process/manager.h"

namespace coppice::sim {

struct NodeAgentOptions {
  int workers = 8;
};

// Plays the kubelet of every simulated node (see simulated_node.h), through the API alone: pods
// that are bound start, become ready, complete and terminate (see pod_lifecycle.h); GPU reservation
// pods report a GPU id. Other nodes and their pods are left to their kubelets. Pods whose node is
// gone are deleted.
//
// A node annotated sim.coppice.dev/fail=true is dead until the annotation goes: it turns NotReady
// and unreachable, its pods turn unready, and after their tolerations they are deleted but hang,
// as on a real cluster, until the node returns or is deleted.
void AddNodeAgent(kube::Manager& manager, const NodeAgentOptions& options = {});

}  // namespace coppice::sim
