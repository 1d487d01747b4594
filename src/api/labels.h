#pragma once

#include <string_view>

// Labels and annotations of PodCliqueSets and of everything made from them, of Kubernetes' own
// kinds, and of simulated nodes. Their spelling is part of the API.
namespace coppice::api::labels {

// Kubernetes' recommended labels.
inline constexpr std::string_view kManagedBy = "app.kubernetes.io/managed-by";
inline constexpr std::string_view kPartOf = "app.kubernetes.io/part-of";
inline constexpr std::string_view kComponent = "app.kubernetes.io/component";
inline constexpr std::string_view kAppName = "app.kubernetes.io/name";
inline constexpr std::string_view kAppVersion = "app.kubernetes.io/version";
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
inline constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";

// How backends are told what their scheduler needs, and what they keep for themselves.
inline constexpr std::string_view kYunikornAttempt = "grove.io/yunikorn-attempt";
inline constexpr std::string_view kKoordinatorTimeout =
    "scheduling.grove.io/koordinator-schedule-timeout-seconds";
inline constexpr std::string_view kKoordinatorQuota = "scheduling.grove.io/koordinator-quota";
inline constexpr std::string_view kVolcanoQueue = "scheduling.grove.io/volcano-queue";
inline constexpr std::string_view kGangAffinity = "gang.grove.io/affinity";
inline constexpr std::string_view kConfigAffinity = "gang.grove.io/affinity-config";
inline constexpr std::string_view kGroupAffinity = "gang.grove.io/affinity-group";

// Kubernetes' labels and annotations of nodes, namespaces, workloads, volumes and claims.
inline constexpr std::string_view kZone = "topology.kubernetes.io/zone";
inline constexpr std::string_view kRegion = "topology.kubernetes.io/region";
inline constexpr std::string_view kOs = "kubernetes.io/os";
inline constexpr std::string_view kArch = "kubernetes.io/arch";
// Taints that Kubernetes adds for a node's state.
inline constexpr std::string_view kNotReady = "node.kubernetes.io/not-ready";
inline constexpr std::string_view kUnreachable = "node.kubernetes.io/unreachable";
inline constexpr std::string_view kUnschedulable = "node.kubernetes.io/unschedulable";
inline constexpr std::string_view kMemoryPressure = "node.kubernetes.io/memory-pressure";
inline constexpr std::string_view kDiskPressure = "node.kubernetes.io/disk-pressure";
inline constexpr std::string_view kPidPressure = "node.kubernetes.io/pid-pressure";
inline constexpr std::string_view kNetworkUnavailable = "node.kubernetes.io/network-unavailable";
inline constexpr std::string_view kNamespaceName = "kubernetes.io/metadata.name";
inline constexpr std::string_view kServiceName = "kubernetes.io/service-name";
inline constexpr std::string_view kSliceManagedBy = "endpointslice.kubernetes.io/managed-by";
inline constexpr std::string_view kTokenAccount = "kubernetes.io/service-account.name";
inline constexpr std::string_view kCronJobTime = "batch.kubernetes.io/cronjob-scheduled-timestamp";
inline constexpr std::string_view kCompletionIndex = "batch.kubernetes.io/job-completion-index";
inline constexpr std::string_view kRevision = "deployment.kubernetes.io/revision";
inline constexpr std::string_view kStatefulSetPodName = "statefulset.kubernetes.io/pod-name";
inline constexpr std::string_view kStatefulSetPodIndex = "apps.kubernetes.io/pod-index";
inline constexpr std::string_view kPodClaimName = "resource.kubernetes.io/pod-claim-name";
inline constexpr std::string_view kExtendedResourceClaim =
    "resource.kubernetes.io/extended-resource-claim";
inline constexpr std::string_view kSelectedNode = "volume.kubernetes.io/selected-node";
inline constexpr std::string_view kBindCompleted = "pv.kubernetes.io/bind-completed";
inline constexpr std::string_view kProvisionedBy = "pv.kubernetes.io/provisioned-by";
inline constexpr std::string_view kLegacyStorageClass = "volume.beta.kubernetes.io/storage-class";
inline constexpr std::string_view kDefaultStorageClass =
    "storageclass.kubernetes.io/is-default-class";
inline constexpr std::string_view kInitialEventsEnd = "k8s.io/initial-events-end";
inline constexpr std::string_view kNumaNode = "feature.node.kubernetes.io/memory-numa";

// What simulated nodes and pods do.
inline constexpr std::string_view kSimulated = "sim.coppice.dev/simulated";
inline constexpr std::string_view kSimulatedFailure = "sim.coppice.dev/fail";
inline constexpr std::string_view kSimulatedExitCode = "sim.coppice.dev/exit-code";
inline constexpr std::string_view kSimulatedBrokenImage = "sim.coppice.dev/broken-image";
inline constexpr std::string_view kSimulatedBrokenReason = "sim.coppice.dev/broken-reason";
inline constexpr std::string_view kSimulatedBrokenMessage = "sim.coppice.dev/broken-message";

}  // namespace coppice::api::labels
