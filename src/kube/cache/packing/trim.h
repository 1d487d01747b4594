#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "json/value.h"

namespace coppice::kube {

// A function for InformerOptions::trim that keeps the named fields of an object and drops the rest.
// Paths are written with dots and go through lists: "spec.containers.resources" keeps that field of
// every container. What identifies an object is always kept: apiVersion, kind, and of the metadata
// name, namespace, uid, resourceVersion, generation, labels, ownerReferences, finalizers and the
// two timestamps.
//
//   cache.InformerFor(api::kPods, {.trim = TrimTo({"spec.nodeName", "status.phase"})});
//
// Trimmed objects are for reading and for patches of what was kept; never update from one.
std::function<json::Value(json::Value)> TrimTo(const std::vector<std::string_view>& paths);

// A pod with its service account's token under one name for all pods. The API server mounts it into
// every container under a name that it draws ("kube-api-access-x7k2p"), so that otherwise no two
// pods of a template have equal containers.
json::Value WithCommonTokenName(json::Value pod);
// Whether a volume's name is such a one.
bool IsTokenName(std::string_view name);

}  // namespace coppice::kube
