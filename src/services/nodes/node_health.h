#pragma once

#include <optional>

#include "base/clock.h"
#include "json/value.h"

// What a node's conditions and taints should be, as pure functions. Names and texts are those of
// kube-controller-manager.
namespace coppice::services::nodes {

// The status of a node whose kubelet has stopped reporting: every condition that the kubelet
// maintains becomes Unknown.
json::Value StatusOfSilentNode(const json::Value& node, base::Time now);

// The node's taints with those that follow from its conditions and from spec.unschedulable; absent
// if they are already so. Other taints stay.
std::optional<json::Value> DesiredTaints(const json::Value& node, base::Time now);

}  // namespace coppice::services::nodes
