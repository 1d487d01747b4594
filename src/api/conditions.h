#pragma once

#include <string_view>

// Types of conditions that several kinds have, or that others write. Those of one kind of ours are
// beside its struct (api/grove, api/kai).
namespace coppice::api::conditions {

// Of pods; Ready also of PodCliqueSets.
inline constexpr std::string_view kPodReady = "Ready";
inline constexpr std::string_view kPodScheduled = "PodScheduled";
inline constexpr std::string_view kPodDisruptionTarget = "DisruptionTarget";

// Of PodCliqueSets, PodCliqueScalingGroups and PodCliques: why pods cannot be created.
inline constexpr std::string_view kReplicaFailure = "ReplicaFailure";

}  // namespace coppice::api::conditions
