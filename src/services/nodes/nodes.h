#pragma once

#include "kube/process/manager.h"

// The controllers that kube-controller-manager runs for nodes, for the embedded cluster.
namespace coppice::services::nodes {

// Adds them to the manager.
//
// - A node whose kubelet has not renewed its Lease for 50 s becomes Unknown, and its pods unready.
//   Nodes without a Lease in kube-node-lease have no kubelet and are left alone.
// - Such nodes get the taints that follow from their conditions and from a cordon.
// - Pods that do not tolerate a NoExecute taint of their node, on any node, are deleted when their
//   toleration ends.
void AddToManager(kube::Manager& manager);

}  // namespace coppice::services::nodes
