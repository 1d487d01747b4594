#pragma once

#include <map>
#include <string>

#include "services/numaexporter/pod_resources.h"

namespace coppice::services::numaexporter {

// The NUMA placement of a pod's resources, as the annotation's JSON: zones in order, amounts by
// resource. Empty if nothing is tied to one NUMA node.
std::string PlacementAnnotation(const PodResources& pod, const std::map<int, int>& node_of_cpu);

}  // namespace coppice::services::numaexporter
