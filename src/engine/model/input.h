#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/quantity.h"
#include "engine/model/devices.h"
#include "engine/model/selectors.h"
#include "engine/model/volumes.h"

// The engine's input about the cluster. Plain values, filled by the reader of the API (the
// scheduler service, the snapshot reader, tests). Each value is a complete object and replaces what
// the engine knew about it.

namespace coppice::engine {

using ResourceList = std::map<std::string, base::Quantity>;

// The status of a pod as the scheduler sees it (docs/behaviour/engine.md S-21).
enum class TaskStatus : uint8_t {
  kPending,
  kGated,
  kAllocated,  // Placed in this cycle, not committed yet.
  kPipelined,  // Waits on a node for capacity that is being released.
  kBinding,
  kBound,
  kRunning,
  kReleasing,
  kStuckInReleasing,
  kSucceeded,
  kFailed,
  kUnknown,
};

std::string_view ToString(TaskStatus status);

// ---- Nodes ---------------------------------------------------------------------------------

struct NodeCondition {
  std::string type;
  std::string status;  // "True", "False", "Unknown".
};

enum class NumaPolicy { kNone, kBestEffort, kRestricted, kSingleNode };
enum class NumaScope { kContainer, kPod };

// One NUMA zone in the units of a NodeResourceTopology: cpu in millicores, everything else in plain
// units.
struct NumaZone {
  std::string name;
  std::map<std::string, int64_t> allocatable;
  std::map<std::string, int64_t> available;
};

struct NumaTopology {
  NumaPolicy policy = NumaPolicy::kNone;
  NumaScope scope = NumaScope::kContainer;
  std::vector<NumaZone> zones;
};

struct NodeSpec {
  std::string name;
  Labels labels;
  ResourceList allocatable;
  std::vector<Taint> taints;
  std::vector<NodeCondition> conditions;
  bool unschedulable = false;
  std::optional<NumaTopology> numa;
};

// ---- Pods ----------------------------------------------------------------------------------

struct HostPort {
  std::string ip;
  std::string protocol;  // Empty: TCP.
  int port = 0;
};

enum class ContainerKind { kApp, kInit, kSidecar };

struct ContainerSpec {
  std::string name;
  ContainerKind kind = ContainerKind::kApp;
  ResourceList requests;
  std::vector<HostPort> host_ports;
  // Names of ConfigMaps that must exist: from env, envFrom and mounted volumes, without optional
  // ones.
  std::vector<std::string> config_maps;
};

struct VolumeClaimRef {
  std::string claim_name;
  // A generic ephemeral volume of that name: the pod owns the claim, whose name combines both
  // names.
  bool ephemeral = false;
};

struct PodClaimRef {
  std::string name;        // In the pod: spec.resourceClaims[].name.
  std::string claim_name;  // The ResourceClaim; empty while a template's claim does not exist yet.
  bool from_template = false;
};

enum class QosClass { kBestEffort, kBurstable, kGuaranteed };

// Everything that pods of the same template share. Readers should use the same object for equal
// pods: the engine compares by address first and by content second.
struct PodShape {
  std::string namespace_name;
  std::string scheduler_name;
  Labels labels;
  // The engine only reads those about GPUs (S-20, S-85); others may be omitted.
  Labels annotations;
  Labels node_selector;
  Affinity affinity;
  std::vector<Toleration> tolerations;
  std::vector<ContainerSpec> containers;
  ResourceList overhead;
  std::vector<VolumeClaimRef> volume_claims;
  QosClass qos = QosClass::kBurstable;
  std::string priority_class_name;
  int64_t priority = 0;
  // Canonical texts that are only part of the scheduling signature.
  std::string topology_spread;
  std::string other_volumes;
};

struct NumaPlacement {
  std::string zone;
  std::map<std::string, base::Quantity> amount;
};

// A pod, joined with its BindRequest if there is one that has not failed (node, GPU groups, claim
// allocations and NUMA zones then come from the request; see ApplyBindRequest).
struct PodSpec {
  std::string uid;
  std::string name;
  std::shared_ptr<const PodShape> shape;
  std::string pod_group;  // Annotation pod-group-name; empty: not in a group.
  std::string sub_group;  // Label kai.scheduler/subgroup-name.
  TaskStatus status = TaskStatus::kPending;
  std::string node;
  std::string nominated_node;
  base::Time creation{};
  // With status kReleasing, for a pod that ran: it counts as stuck after a while (S-21).
  std::optional<base::Time> deletion;
  std::vector<std::string> gpu_groups;
  std::vector<PodClaimRef> claims;
  std::map<std::string, ClaimAllocation> claim_allocations;  // By name in the pod.
  std::optional<ClaimAllocation> extended_claim_allocation;
  std::vector<NumaPlacement> numa_placement;
  bool numa_observed = false;  // Reported by the node, so it is authoritative.
  bool legacy_mig = false;
};

struct BindRequestSpec {
  std::string namespace_name;
  std::string pod_name;
  std::string node;
  std::vector<std::string> gpu_groups;
  std::map<std::string, ClaimAllocation> claim_allocations;
  std::optional<ClaimAllocation> extended_claim_allocation;
  std::vector<NumaPlacement> numa_placement;
};

// The parts of a pod's API object that determine its status.
struct PodPhase {
  std::string phase;
  bool scheduling_gates = false;
  bool has_bind_request = false;
  std::string node;
  std::optional<base::Time> deletion;
};

TaskStatus DeriveStatus(const PodPhase& pod);
// Joins a request into a pod that is not bound yet.
void ApplyBindRequest(const BindRequestSpec& request, PodSpec& pod);
// From the labels runai-gpu-group and runai-gpu-group/*.
std::vector<std::string> GpuGroupsFromLabels(const Labels& labels);

// ---- Pod groups ----------------------------------------------------------------------------

struct TopologyConstraint {
  std::string topology;
  std::string required_level;  // Node label or alias; empty: none.
  std::string preferred_level;
};

// A node of the sub-group tree. With children it is a set, of which `min_sub_groups` direct
// children must be satisfied (all if absent). Without children it is a set of pods, of which
// `min_members` must run together.
struct SubGroupSpec {
  std::string name;
  std::string parent;  // Empty: the root.
  std::optional<int> min_members;
  std::optional<int> min_sub_groups;
  std::optional<TopologyConstraint> topology;
};

struct PodGroupSpec {
  std::string name;
  std::string namespace_name;
  std::string uid;
  std::string queue;
  std::string set;        // Name of its PodCliqueSet; empty: none.
  std::string shown_as;   // The name that users know, such as "job/train"; empty: its name.
  std::string node_pool;  // As shown in messages; empty is shown as "default".
  int64_t priority = 50;
  bool preemptible = true;
  base::Time creation{};
  std::optional<base::Time> last_start;
  std::optional<base::Time> last_eviction;
  std::optional<base::Time> stale_since;
  std::optional<base::Duration> staleness_grace;
  std::optional<base::Duration> preemption_delay;
  int scheduling_backoff = -1;
  bool mark_unschedulable = true;
  // Of the root.
  std::optional<int> min_members;
  std::optional<int> min_sub_groups;
  std::optional<TopologyConstraint> topology;
  std::vector<SubGroupSpec> sub_groups;
};

// ---- Queues, topologies, usage -------------------------------------------------------------

// -1 is unlimited. Units of the Queue API: cpu in millicores, memory in 10^6 bytes, GPUs.
struct QueueQuota {
  double quota = 0;
  double limit = 0;
  double over_quota_weight = 0;
};

struct QueueSpec {
  std::string name;
  std::string display_name;
  std::string parent;
  int priority = 100;
  base::Time creation{};
  QueueQuota cpu;
  QueueQuota memory;
  QueueQuota gpu;
  std::optional<base::Duration> preempt_min_runtime;
  std::optional<base::Duration> reclaim_min_runtime;
  bool reclaims = true;  // False: its jobs wait for free capacity instead of reclaiming.
};

struct TopologyLevel {
  std::string node_label;
  std::string alias;
};

struct TopologySpec {
  std::string name;
  std::vector<TopologyLevel> levels;  // Widest first.
};

// The share of the cluster that a queue used over the accounting window (docs/behaviour/engine.md
// S-69).
struct QueueUsage {
  double cpu = 0;
  double memory = 0;
  double gpu = 0;
};

}  // namespace coppice::engine
