#pragma once

#include "kube/process/manager.h"

namespace coppice::sim {

struct NodeAgentOptions {
  int workers = 8;
};

// Acts as the kubelet of every simulated node (see simulated_node.h), only through the API: bound
// pods start, become ready, complete and terminate (see pod_lifecycle.h); GPU reservation pods
// report a GPU id. Other nodes and their pods are left to their own kubelets. Pods whose node is
// gone are deleted.
//
// A node annotated sim.coppice.dev/fail=true is dead until the annotation is removed: it becomes
// NotReady and unreachable, and its pods become unready. When their tolerations expire, the pods
// are deleted but hang, as on a real cluster, until the node returns or is deleted.
void AddNodeAgent(kube::Manager& manager, const NodeAgentOptions& options = {});

}  // namespace coppice::sim
