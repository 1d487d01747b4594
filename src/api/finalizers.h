#pragma once

#include <string_view>

// Finalizers that the operator puts on objects until what belongs to them is gone.
namespace coppice::api::finalizers {

inline constexpr std::string_view kPodCliqueSet = "grove.io/podcliqueset.grove.io";
inline constexpr std::string_view kPodClique = "grove.io/podclique.grove.io";
inline constexpr std::string_view kScalingGroup = "grove.io/podcliquescalinggroup.grove.io";
inline constexpr std::string_view kComputeDomain = "grove.io/computedomain-finalizer";

}  // namespace coppice::api::finalizers
