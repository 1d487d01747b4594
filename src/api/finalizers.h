#pragma once

#include <string_view>

// Finalizers: of the operator, until what belongs to an object is gone, and of Kubernetes.
namespace coppice::api::finalizers {

inline constexpr std::string_view kPodCliqueSet = "grove.io/podcliqueset.grove.io";
inline constexpr std::string_view kPodClique = "grove.io/podclique.grove.io";
inline constexpr std::string_view kScalingGroup = "grove.io/podcliquescalinggroup.grove.io";
inline constexpr std::string_view kComputeDomain = "grove.io/computedomain-finalizer";
// Of ResourceClaims with allocated devices.
inline constexpr std::string_view kClaimDevices = "resource.kubernetes.io/delete-protection";

}  // namespace coppice::api::finalizers
