#pragma once

#include <string_view>

// Labels and annotations of PodCliqueSets and of everything made from them. Their spelling is part
// of the API.
namespace coppice::api::labels {

// Kubernetes' recommended labels.
inline constexpr std::string_view kManagedBy = "app.kubernetes.io/managed-by";
inline constexpr std::string_view kPartOf = "app.kubernetes.io/part-of";
inline constexpr std::string_view kComponent = "app.kubernetes.io/component";
inline constexpr std::string_view kAppName = "app.kubernetes.io/name";
// Which node a node is; the narrowest level of a topology.
inline constexpr std::string_view kHostname = "kubernetes.io/hostname";
// What the operator is called in kManagedBy.
inline constexpr std::string_view kOperator = "grove-operator";

// Everything with this prefix belongs to the operator.
inline constexpr std::string_view kGroveDomain = "grove.io/";
inline constexpr std::string_view kSetReplica = "grove.io/podcliqueset-replica-index";
inline constexpr std::string_view kPodGang = "grove.io/podgang";
inline constexpr std::string_view kBaseGang = "grove.io/base-podgang";
inline constexpr std::string_view kPodClique = "grove.io/podclique";
inline constexpr std::string_view kPodIndex = "grove.io/podclique-pod-index";
inline constexpr std::string_view kScalingGroup = "grove.io/podcliquescalinggroup";
inline constexpr std::string_view kScalingGroupReplica =
    "grove.io/podcliquescalinggroup-replica-index";
inline constexpr std::string_view kTemplateHash = "grove.io/pod-template-hash";
// A label of PodGangs, an annotation of sets.
inline constexpr std::string_view kBackend = "grove.io/scheduler-backend";
inline constexpr std::string_view kSchedulerName = "grove.io/scheduler-name";
inline constexpr std::string_view kMirrorOf = "grove.io/mirror-of";
// Labels of other schedulers.
inline constexpr std::string_view kApplication = "yunikorn.apache.org/app-id";

// Annotations.
inline constexpr std::string_view kTopologyName = "grove.io/topology-name";
inline constexpr std::string_view kDisableProtection =
    "grove.io/disable-managed-resource-protection";
inline constexpr std::string_view kAdoptedHashes = "grove.io/adopted-hashes";
inline constexpr std::string_view kCopiedKeys = "grove.io/copied-keys";
inline constexpr std::string_view kMnnvlGroup = "grove.io/mnnvl-group";
// The value of kMnnvlGroup that asks for none.
inline constexpr std::string_view kMnnvlNone = "none";
inline constexpr std::string_view kSourceGeneration = "grove.io/source-generation";
inline constexpr std::string_view kImmutableHash = "grove.io/immutable-hash";
inline constexpr std::string_view kAppliedHash = "grove.io/applied-hash";
// When room was freed that a gang may have waited for.
inline constexpr std::string_view kWokenAt = "grove.io/woken-at";
inline constexpr std::string_view kKaiTopology = "kai.scheduler/topology";
inline constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";

}  // namespace coppice::api::labels
