#pragma once

#include <optional>

#include "base/clock.h"
#include "json/value.h"

// The effects of a node failure on the node object and its pods, as pure functions.
namespace coppice::sim {

// True while the node carries sim.coppice.dev/fail=true.
bool IsFailed(const json::Value& node);

struct NodeUpdate {
  std::optional<json::Value> status_patch;  // Merge patches.
  std::optional<json::Value> spec_patch;
};

// The desired Ready condition and unreachable taint.
NodeUpdate DesiredHealth(const json::Value& node, base::Time now);

struct DeadNodePod {
  std::optional<json::Value> status;          // The pod becomes unready.
  std::optional<base::Duration> evict_after;  // Until its toleration expires; absent: never.
};

DeadNodePod PodOnDeadNode(const json::Value& pod, const json::Value& node, base::Time now);

}  // namespace coppice::sim
