#pragma once

#include <map>
#include <string>

#include "services/numaexporter/pod_resources.h"

namespace coppice::services::numaexporter {

// Where a pod's resources lie, as the annotation's JSON: zones in order, amounts by resource. Empty
// when nothing of it is tied to one node.
std::string PlacementAnnotation(const PodResources& pod, const std::map<int, int>& node_of_cpu);

}  // namespace coppice::services::numaexporter
