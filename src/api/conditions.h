#pragma once

#include <string_view>

// Conditions of pods, as Kubernetes defines them. Those of our own kinds stand beside their types.
namespace coppice::api::conditions {

inline constexpr std::string_view kPodReady = "Ready";
inline constexpr std::string_view kPodScheduled = "PodScheduled";
inline constexpr std::string_view kPodDisruptionTarget = "DisruptionTarget";

}  // namespace coppice::api::conditions
