#pragma once

#include <string_view>

// Labels, annotations and well-known names of KAI. They are part of the wire
// contract and stay exactly as upstream writes them.
namespace coppice::api::kai::names {

inline constexpr std::string_view kSchedulerName = "kai-scheduler";
inline constexpr std::string_view kDefaultQueue = "default-queue";

// By which Deployments, Services and reservation pods are found.
inline constexpr std::string_view kAppLabel = "app";

inline constexpr std::string_view kPodGroupAnnotation = "pod-group-name";
inline constexpr std::string_view kSubGroupLabel = "kai.scheduler/subgroup-name";
inline constexpr std::string_view kSkipGrouper = "kai.scheduler/skip-podgrouper";
inline constexpr std::string_view kTopOwnerMetadata = "kai.scheduler/top-owner-metadata";
inline constexpr std::string_view kQueueLabel = "kai.scheduler/queue";
inline constexpr std::string_view kNodePoolLabel = "kai.scheduler/node-pool";
inline constexpr std::string_view kProjectLabel = "project";
inline constexpr std::string_view kUserKey = "user";
inline constexpr std::string_view kPriorityClassLabel = "priorityClassName";
inline constexpr std::string_view kPreemptibility = "kai.scheduler/preemptibility";
inline constexpr std::string_view kPreemptionDelay = "kai.scheduler/preemption-delay";
inline constexpr std::string_view kStalenessGracePeriod = "kai.scheduler/staleness-grace-period";
inline constexpr std::string_view kTopology = "kai.scheduler/topology";
inline constexpr std::string_view kTopologyRequired = "kai.scheduler/topology-required-placement";
inline constexpr std::string_view kTopologyPreferred = "kai.scheduler/topology-preferred-placement";
inline constexpr std::string_view kSegmentSize = "kai.scheduler/segment-size";
inline constexpr std::string_view kSegmentRequired =
    "kai.scheduler/segment-topology-required-placement";
inline constexpr std::string_view kSegmentPreferred =
    "kai.scheduler/segment-topology-preferred-placement";
inline constexpr std::string_view kBatchMinMember = "kai.scheduler/batch-min-member";

inline constexpr std::string_view kGpuFraction = "gpu-fraction";
inline constexpr std::string_view kGpuMemory = "gpu-memory";
inline constexpr std::string_view kGpuFractionDevices = "gpu-fraction-num-devices";
inline constexpr std::string_view kGpuFractionContainer = "gpu-fraction-container-name";
inline constexpr std::string_view kMps = "mps";
inline constexpr std::string_view kSharedGpuConfigMap = "runai/shared-gpu-configmap";
inline constexpr std::string_view kReceivedResourceType = "received-resource-type";
inline constexpr std::string_view kGpuGroupLabel = "runai-gpu-group";
inline constexpr std::string_view kGpuGroupLabelPrefix = "runai-gpu-group/";
inline constexpr std::string_view kReservedGpu = "run.ai/reserve_for_gpu_index";
inline constexpr std::string_view kNumaPredicted = "kai.scheduler/numa-placement-predicted";
inline constexpr std::string_view kNumaObserved = "kai.scheduler/numa-placement-observed";

inline constexpr std::string_view kStaleTimestamp = "kai.scheduler/stale-podgroup-timestamp";
inline constexpr std::string_view kLastStartTimestamp = "kai.scheduler/last-start-timestamp";
inline constexpr std::string_view kLastEvictionTimestamp = "kai.scheduler/last-eviction-timestamp";
inline constexpr std::string_view kSelectedNodeLabel = "selected-node";

inline constexpr std::string_view kGpuResource = "nvidia.com/gpu";
inline constexpr std::string_view kMigPrefix = "nvidia.com/mig-";
inline constexpr std::string_view kGpuMemoryResource = "run.ai/gpu.memory";
inline constexpr std::string_view kNodeGpuMemory = "nvidia.com/gpu.memory";

inline constexpr std::string_view kReservationName = "kai-resource-reservation";
inline constexpr std::string_view kAccountingLabel = "kai.scheduler/accounting";
inline constexpr std::string_view kMigratedFrom = "kai.scheduler/migrated-from";

}  // namespace coppice::api::kai::names
