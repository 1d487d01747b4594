#pragma once

#include <string_view>

// Labels that say where a node is, as administrators, clouds and network operators set them, and
// taints that say how it is.
namespace coppice::api::foreign {

inline constexpr std::string_view kBlock = "topology.kubernetes.io/block";
inline constexpr std::string_view kRack = "topology.kubernetes.io/rack";
inline constexpr std::string_view kGoogleBlock = "cloud.google.com/gce-topology-block";
inline constexpr std::string_view kGoogleSubBlock = "cloud.google.com/gce-topology-subblock";
inline constexpr std::string_view kNvidiaSpine = "network.topology.nvidia.com/spine";
inline constexpr std::string_view kNvidiaLeaf = "network.topology.nvidia.com/leaf";
inline constexpr std::string_view kNvidiaClique = "nvidia.com/gpu.clique";

// Taints of nodes that are cordoned or down.
inline constexpr std::string_view kNodeStatePrefix = "node.kubernetes.io/";

}  // namespace coppice::api::foreign
