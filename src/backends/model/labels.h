#pragma once

#include <string_view>

// Labels and annotations that backends read and write. Those of one scheduler only are in its
// folder.
namespace coppice::backends::labels {

inline constexpr std::string_view kBackend = "grove.io/scheduler-backend";
inline constexpr std::string_view kSchedulerName = "grove.io/scheduler-name";
inline constexpr std::string_view kPodGang = "grove.io/podgang";
inline constexpr std::string_view kBaseGang = "grove.io/base-podgang";
inline constexpr std::string_view kPodClique = "grove.io/podclique";
inline constexpr std::string_view kPodIndex = "grove.io/podclique-pod-index";
inline constexpr std::string_view kScalingGroup = "grove.io/podcliquescalinggroup";
inline constexpr std::string_view kScalingGroupReplica =
    "grove.io/podcliquescalinggroup-replica-index";
inline constexpr std::string_view kSetReplica = "grove.io/podcliqueset-replica-index";
// YuniKorn's.
inline constexpr std::string_view kApplication = "yunikorn.apache.org/app-id";
inline constexpr std::string_view kManagedBy = "app.kubernetes.io/managed-by";
inline constexpr std::string_view kPartOf = "app.kubernetes.io/part-of";
inline constexpr std::string_view kMirrorOf = "grove.io/mirror-of";

// Annotations.
inline constexpr std::string_view kTopologyName = "grove.io/topology-name";
inline constexpr std::string_view kKaiTopology = "kai.scheduler/topology";
inline constexpr std::string_view kSourceGeneration = "grove.io/source-generation";
inline constexpr std::string_view kImmutableHash = "grove.io/immutable-hash";
inline constexpr std::string_view kAppliedHash = "grove.io/applied-hash";
// When room was freed that a gang may have waited for.
inline constexpr std::string_view kWokenAt = "grove.io/woken-at";

}  // namespace coppice::backends::labels
