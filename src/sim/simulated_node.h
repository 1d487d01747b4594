#pragma once

#include "api/labels.h"
#include "json/value.h"
#include "kube/object.h"

namespace coppice::sim {

// Written on every node that `coppice up` makes. A node without it has a kubelet of its own, which
// alone says how it and its pods are; so a node made by hand is simulated only if it carries this.
inline constexpr std::string_view kSimulatedAnnotation = api::labels::kSimulated;

inline bool IsSimulated(const json::Value& node) {
  return kube::Annotation(node, kSimulatedAnnotation) == "true";
}

}  // namespace coppice::sim
