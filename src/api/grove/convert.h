#pragma once

#include "api/grove/cluster_topology_binding.h"
#include "api/grove/pod_clique.h"
#include "api/grove/pod_clique_set.h"
#include "api/grove/pod_gang.h"
#include "api/grove/scaling_group.h"
#include "json/value.h"

// Between documents and types. Reading never fails: what is missing or of another type reads as the
// member's default (the API server has checked objects against their schema). Writing leaves out
// what is not set.
namespace coppice::api::grove {

PodCliqueSet ReadPodCliqueSet(json::Value object);
PodClique ReadPodClique(json::Value object);
PodCliqueScalingGroup ReadScalingGroup(json::Value object);
ClusterTopologyBinding ReadClusterTopologyBinding(json::Value object);
PodGang ReadPodGang(json::Value object);

json::Value Write(const PodCliqueSetStatus& status);
json::Value Write(const PodCliqueSpec& spec);
json::Value Write(const PodCliqueStatus& status);
json::Value Write(const ScalingGroupSpec& spec);
json::Value Write(const ScalingGroupStatus& status);
json::Value Write(const ClusterTopologyBindingStatus& status);
json::Value Write(const PodGangStatus& status);

}  // namespace coppice::api::grove
