#pragma once

#include <string_view>

// Labels and annotations of other projects, exactly as they spell them.
namespace coppice::api::foreign {

// Kueue.
inline constexpr std::string_view kKueueQueueName = "kueue.x-k8s.io/queue-name";
inline constexpr std::string_view kKueuePodGroupName = "kueue.x-k8s.io/pod-group-name";
inline constexpr std::string_view kKueuePodGroupTotalCount = "kueue.x-k8s.io/pod-group-total-count";
inline constexpr std::string_view kKueueRoleHash = "kueue.x-k8s.io/role-hash";
inline constexpr std::string_view kKueuePodSet = "kueue.x-k8s.io/podset";
inline constexpr std::string_view kKueueWorkload = "kueue.x-k8s.io/workload";
inline constexpr std::string_view kKueueRequiredTopology =
    "kueue.x-k8s.io/podset-required-topology";
inline constexpr std::string_view kKueuePreferredTopology =
    "kueue.x-k8s.io/podset-preferred-topology";
inline constexpr std::string_view kKueueJobUid = "kueue.x-k8s.io/job-uid";

// Volcano.
inline constexpr std::string_view kVolcanoGroupName = "scheduling.k8s.io/group-name";
inline constexpr std::string_view kVolcanoShGroupName = "scheduling.volcano.sh/group-name";
inline constexpr std::string_view kVolcanoTaskSpec = "volcano.sh/task-spec";
inline constexpr std::string_view kVolcanoPreemptable = "volcano.sh/preemptable";
inline constexpr std::string_view kVolcanoQueueName = "scheduling.volcano.sh/queue-name";
inline constexpr std::string_view kVolcanoSlaWaitingTime = "volcano.sh/sla-waiting-time";

// YuniKorn.
inline constexpr std::string_view kYunikornQueue = "yunikorn.apache.org/queue";
inline constexpr std::string_view kYunikornTaskGroupName = "yunikorn.apache.org/task-group-name";
inline constexpr std::string_view kYunikornTaskGroups = "yunikorn.apache.org/task-groups";
inline constexpr std::string_view kYunikornPolicyParameters =
    "yunikorn.apache.org/schedulingPolicyParameters";
inline constexpr std::string_view kYunikornPlaceholder = "yunikorn.apache.org/placeholder";
inline constexpr std::string_view kYunikornInternalPlaceholder =
    "internal.yunikorn.apache.org/placeholder";

// Koordinator.
inline constexpr std::string_view kKoordinatorGangPrefix = "gang.scheduling.koordinator.sh/";
inline constexpr std::string_view kKoordinatorQuotaName = "quota.scheduling.koordinator.sh/name";
inline constexpr std::string_view kKoordinatorPreemptible =
    "quota.scheduling.koordinator.sh/preemptible";
inline constexpr std::string_view kKoordinatorDisablePreemptible =
    "scheduling.koordinator.sh/disable-preemptible";
inline constexpr std::string_view kKoordinatorPreemptionPolicy =
    "scheduling.koordinator.sh/preemption-policy";

// scheduler-plugins.
inline constexpr std::string_view kSchedulerPluginsPodGroup = "scheduling.x-k8s.io/pod-group";

// JobSet, LeaderWorkerSet, Knative, Kubeflow, Ray.
inline constexpr std::string_view kJobSetReplicatedJob = "jobset.sigs.k8s.io/replicatedjob-name";
inline constexpr std::string_view kJobSetJobIndex = "jobset.sigs.k8s.io/job-index";
inline constexpr std::string_view kLeaderWorkerSetWorkerIndex =
    "leaderworkerset.sigs.k8s.io/worker-index";
inline constexpr std::string_view kLeaderWorkerSetGroupIndex =
    "leaderworkerset.sigs.k8s.io/group-index";
inline constexpr std::string_view kLeaderWorkerSetSize = "leaderworkerset.sigs.k8s.io/size";
inline constexpr std::string_view kKnativeRevision = "serving.knative.dev/revision";
inline constexpr std::string_view kKnativeMinScale = "autoscaling.knative.dev/min-scale";
inline constexpr std::string_view kKubeflowReplicaType = "training.kubeflow.org/replica-type";
inline constexpr std::string_view kKubeflowReplicaIndex = "training.kubeflow.org/replica-index";
inline constexpr std::string_view kRayPriorityClass = "ray.io/priority-class-name";
inline constexpr std::string_view kRayGroup = "ray.io/group";

// Karpenter, Prometheus, Helm.
inline constexpr std::string_view kKarpenterDoNotDisrupt = "karpenter.sh/do-not-disrupt";
inline constexpr std::string_view kPrometheusScrape = "prometheus.io/scrape";
inline constexpr std::string_view kHelmHookPrefix = "helm.sh/hook";

// NVIDIA and AMD: labels of nodes and resource names.
inline constexpr std::string_view kNvidiaGpuCount = "nvidia.com/gpu.count";
inline constexpr std::string_view kAmdMemoryPrefix = "beta.amd.com/gpu.vram";

}  // namespace coppice::api::foreign
