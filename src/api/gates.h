#pragma once

#include <string_view>

// Scheduling gates that hold pods back until their gang is known to its scheduler. A backend may
// have one of its own.
namespace coppice::api::gates {

inline constexpr std::string_view kPodGang = "grove.io/podgang";
// The gate of Grove's operator; recognised and removed whatever gate a backend uses.
inline constexpr std::string_view kGrovePodGang = "grove.io/podgang-pending-creation";
// Of backends.
inline constexpr std::string_view kKueueTopology = "kueue.x-k8s.io/topology";
inline constexpr std::string_view kKoordinatorGang = "scheduling.koordinator.sh/gang";
inline constexpr std::string_view kWorkload = "scheduling.k8s.io/workload";

}  // namespace coppice::api::gates
