#pragma once

#include <vector>

#include "json/value.h"

namespace coppice::api::grove {

// The CustomResourceDefinitions of everything that the operator reads or writes, generated from
// the types, in the order in which they should be installed.
std::vector<json::Value> Crds();

json::Value PodCliqueCrd();
json::Value PodCliqueSetCrd();
json::Value ScalingGroupCrd();
json::Value ClusterTopologyBindingCrd();
json::Value PodGangCrd();

}  // namespace coppice::api::grove
