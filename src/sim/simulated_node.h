#pragma once

#include "api/labels.h"
#include "json/value.h"
#include "kube/object.h"

namespace coppice::sim {

// Set on every node that `coppice up` creates. A node without it has a real kubelet, which alone
// reports the state of the node and its pods. So a manually created node is simulated only if it
// has this annotation.
inline constexpr std::string_view kSimulatedAnnotation = api::labels::kSimulated;

inline bool IsSimulated(const json::Value& node) {
  return kube::Annotation(node, kSimulatedAnnotation) == "true";
}

}  // namespace coppice::sim
