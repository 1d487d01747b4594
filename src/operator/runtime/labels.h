#pragma once

#include <map>
#include <string>
#include <string_view>

// Labels, annotations, finalizers and environment variables that the operator writes or reads.
namespace coppice::operators {

using StringMap = std::map<std::string, std::string>;

inline constexpr std::string_view kManagedByLabel = "app.kubernetes.io/managed-by";
inline constexpr std::string_view kManagedByValue = "grove-operator";
inline constexpr std::string_view kPartOfLabel = "app.kubernetes.io/part-of";
inline constexpr std::string_view kComponentLabel = "app.kubernetes.io/component";
inline constexpr std::string_view kAppNameLabel = "app.kubernetes.io/name";

inline constexpr std::string_view kGroveDomain = "grove.io/";
inline constexpr std::string_view kReplicaIndexLabel = "grove.io/podcliqueset-replica-index";
inline constexpr std::string_view kPodGangLabel = "grove.io/podgang";
inline constexpr std::string_view kBasePodGangLabel = "grove.io/base-podgang";
inline constexpr std::string_view kTemplateHashLabel = "grove.io/pod-template-hash";
inline constexpr std::string_view kPodCliqueLabel = "grove.io/podclique";
inline constexpr std::string_view kPodIndexLabel = "grove.io/podclique-pod-index";
inline constexpr std::string_view kScalingGroupLabel = "grove.io/podcliquescalinggroup";
inline constexpr std::string_view kScalingGroupIndexLabel =
    "grove.io/podcliquescalinggroup-replica-index";
inline constexpr std::string_view kSchedulerNameLabel = "grove.io/scheduler-name";
inline constexpr std::string_view kSchedulerBackendLabel = "grove.io/scheduler-backend";

inline constexpr std::string_view kTopologyNameAnnotation = "grove.io/topology-name";
inline constexpr std::string_view kDisableProtectionAnnotation =
    "grove.io/disable-managed-resource-protection";
inline constexpr std::string_view kAdoptedHashesAnnotation = "grove.io/adopted-hashes";
inline constexpr std::string_view kCopiedKeysAnnotation = "grove.io/copied-keys";
inline constexpr std::string_view kMnnvlGroupKey = "grove.io/mnnvl-group";
inline constexpr std::string_view kMnnvlOptOut = "none";

inline constexpr std::string_view kPodCliqueSetFinalizer = "grove.io/podcliqueset.grove.io";
inline constexpr std::string_view kPodCliqueFinalizer = "grove.io/podclique.grove.io";
inline constexpr std::string_view kScalingGroupFinalizer =
    "grove.io/podcliquescalinggroup.grove.io";
inline constexpr std::string_view kComputeDomainFinalizer = "grove.io/computedomain-finalizer";

// The gate of upstream's Grove; always recognised, whatever gate a backend asks for.
inline constexpr std::string_view kGroveGate = "grove.io/podgang-pending-creation";

inline constexpr std::string_view kComponentStandaloneClique = "pcs-podclique";
inline constexpr std::string_view kComponentMemberClique = "pcsg-podclique";

// The pair that everything the operator creates for a set carries.
StringMap DefaultLabels(std::string_view set);
// "k=v,k2=v2", keys sorted.
std::string Selector(const StringMap& labels);

}  // namespace coppice::operators
