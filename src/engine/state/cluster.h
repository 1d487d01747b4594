#pragma once

#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "engine/config.h"
#include "engine/devices/device_state.h"
#include "engine/placement/storage.h"
#include "engine/state/columns.h"
#include "engine/state/job.h"
#include "engine/state/journal.h"
#include "engine/state/name_lists.h"
#include "engine/state/names.h"
#include "engine/state/node.h"
#include "engine/state/pod_class.h"
#include "engine/state/queue.h"
#include "engine/state/task.h"
#include "engine/state/task_order.h"

namespace coppice::engine {

class TopologyTree;

// What is known about the cluster, by dense numbers, and the rules by which pods are charged to
// nodes. Changed by deltas between cycles and, noted in the journal, by actions inside a cycle.
class Cluster final : private Journal::Reverser {
 public:
  explicit Cluster(const Configuration& configuration);

  // ---- Deltas, between cycles. Cost: that of the object.
  void PutNode(const NodeSpec& spec);
  void RemoveNode(std::string_view name);
  void PutPod(const PodSpec& spec);
  void RemovePod(std::string_view uid);
  void PutPodGroup(const PodGroupSpec& spec);
  void RemovePodGroup(std::string_view namespace_name, std::string_view name);
  void PutQueue(const QueueSpec& spec);
  void RemoveQueue(std::string_view name);

  // What is wrong with which object, as of the last that was told about it.
  std::vector<InputProblem> Problems() const;
  void Problem(std::string kind, std::string_view name, std::string message);

  // Brings derived state (orders, trees, links) up to date before a cycle.
  void Refresh(base::Time now);
  // Puts a task's status and place for good, as after a commit, outside the journal.
  void SettleTask(TaskId task, TaskStatus status, NodeId node, int32_t groups);
  void TopologiesChanged();
  void AdoptGpuMemoryDefault();
  // What a job's waiting pods look like, whatever they request.
  void ComputeSignature(Job& job);
  // Recomputes a node's charges from the pods that are there.
  void RebuildNode(NodeId node);

  // ---- Look-up.
  NodeId FindNode(std::string_view name) const;
  TaskId FindTask(std::string_view uid) const;
  JobId FindJob(std::string_view namespace_name, std::string_view name) const;
  QueueId FindQueue(std::string_view name) const;
  const PodClass& ClassOf(const Task& task) const { return classes[task.cls]; }
  const PodClass& ClassOf(TaskId task) const { return classes[tasks[task].cls]; }
  std::string_view Text(NameId id) const { return names.Text(id); }
  const Labels& LabelSet(int32_t id) const { return label_sets_[id]; }
  NamedLabels LabelsOf(NodeId node) const { return {names, nodes[node].labels}; }
  std::string PodName(TaskId task) const;  // "namespace/name".
  // Whether some pod has resource claims.
  bool HasClaimants() const { return !tasks_with_claims_.empty(); }

  // ---- Changes inside a cycle, noted in the journal.
  void SetStatus(TaskId task, TaskStatus status);
  void Charge(NodeId node, TaskId task, TaskStatus status, int32_t groups) {
    ApplyCharge(node, task, status, groups, +1);
  }
  void Uncharge(NodeId node, TaskId task, TaskStatus status, int32_t groups) {
    ApplyCharge(node, task, status, groups, -1);
  }
  // What if more of a resource were free on the node.
  void AddIdle(NodeId node, int resource, int64_t amount) {
    journal.Operation(kAddIdle, node, resource, amount);
    amounts.idle(node)[resource] += amount;
    charged.push_back(node);
  }
  // Notes that a moved task still holds another place.
  void AddPlace(const OtherPlace& place) {
    places.push_back(place);
    journal.Operation(kShrinkPlaces, 0, 0, 0);
  }
  // Adds to (or takes from) a queue and its ancestors what the task has on `node`.
  void ChargeQueue(JobId job, TaskId task, NodeId node, int sign);

  // A fresh id for a GPU that becomes shared; given again when a try is taken back.
  NameId NewGpuGroup();

  // ---- Rules about one task and one node.
  bool FitsIdle(TaskId task, NodeId node) const;
  bool FitsIdleOrReleasing(TaskId task, NodeId node) const;
  bool FitsOnGroup(TaskId task, NodeId node, const GpuGroup& group) const;
  bool FitsIdleOnGroup(TaskId task, NodeId node, const GpuGroup& group) const;
  // Accepted GPUs of the task on the node in thousandths, claimed devices included.
  int64_t AcceptedGpu(const Task& task, NodeId node) const;
  Sums AcceptedOf(const Task& task, NodeId node) const;
  // GPU quota: requested, or as accepted where it is placed (S-20), in thousandths.
  int64_t RequestedQuota(const Task& task) const;
  int64_t AcceptedQuota(const Task& task, NodeId node) const;
  // Free and releasing GPUs with shared ones (S-22), in thousandths; memory in MiB.
  int64_t IdleGpuSum(NodeId node) const;
  int64_t ReleasingGpuSum(NodeId node) const;
  // Both in devices, added up in floating point as upstream does: 0.2 of a GPU that is used to 0.8
  // is less than 0.2, and where just that is asked for it shows.
  double FreeGpus(NodeId node) const;
  int64_t IdleGpuMemory(NodeId node) const;
  int64_t ReleasingGpuMemory(NodeId node) const;
  // What is free of GPUs that are shared, in GPUs.
  double SharedGpusFree(NodeId node) const;

  Names names;
  ResourceIndex resources;
  PodClasses classes;
  NameLists name_lists;
  NodeAmounts amounts;
  std::vector<Node> nodes;
  std::vector<Task> tasks;
  std::vector<Job> jobs;
  std::vector<uint32_t> job_versions;  // By job: grows with every change of a task's status.
  std::vector<Queue> queues;
  std::vector<OtherPlace> places;                   // Emptied at the end of a cycle.
  std::vector<TaskId> deleting;                     // Pods with a deletion time.
  std::map<NameId, base::Time> surplus_held_since;  // By set, see SurplusHold.
  std::vector<NodeId> charged;  // Nodes whose amounts changed in this cycle, in order.
  std::vector<JobId> moved;     // Jobs of tasks whose status did.
  std::map<std::string, TopologySpec> topologies;
  std::set<std::pair<std::string, std::string>> config_maps;
  std::map<std::string, Labels, std::less<>> namespaces;
  DeviceState devices;
  Storage storage;
  Journal journal;

  std::vector<NodeId> node_order;         // Existing nodes by name.
  std::vector<JobId> job_order;           // Existing jobs by name.
  std::vector<QueueId> roots;             // Reachable top queues by name.
  std::optional<int64_t> min_gpu_memory;  // Over nodes that report more than 100 MiB.
  std::optional<int64_t> max_gpu_memory;
  bool in_cycle = false;          // Charges are logged.
  bool affinity_in_use = false;   // Some pod has required terms about other pods.
  std::vector<bool> dra_backed;   // By resource: served by claims made for extended resources.
  uint64_t topology_version = 0;  // Grows with nodes that come, go or change their labels.
  // Topologies as trees of nodes, as of a version; made when they are first asked for.
  std::map<NameId, std::shared_ptr<const TopologyTree>> topology_trees;
  uint64_t topology_trees_version = 0;
  const Configuration& configuration;
  const bool orders_sub_groups;  // Plugin subgrouporder.

 private:
  enum Operation : uint8_t { kSetStatus, kChargePlain, kChargeQueue, kShrinkPlaces, kAddIdle };

  void Reverse(uint8_t operation, int32_t a, int32_t b, int64_t c) override;
  void ApplyCharge(NodeId node, TaskId task, TaskStatus status, int32_t groups, int sign);
  void AddAmounts(NodeId node, const PodClass& cls, int64_t gpu, TaskStatus status, int sign);
  int64_t DeviceDelta(Node& node, const Task& task, int64_t gpu, int sign);
  void ChargeGroups(NodeId node, int64_t memory, TaskStatus status, int32_t groups, int sign);
  void AddToGroup(NodeId node, GpuGroup& group, int64_t memory, TaskStatus status);
  void RemoveFromGroup(NodeId node, GpuGroup& group, int64_t memory, TaskStatus status);
  int64_t UsedDevices(NodeId node) const;
  void ChargePresence(NodeId node, const Task& task, int sign);
  bool Fits(TaskId task, NodeId node, bool with_releasing) const;
  bool FitsShared(TaskId task, NodeId node, bool with_releasing) const;
  bool ServedByClaims(NodeId node, int resource) const;

  NodeId NodeByName(std::string_view name);
  JobId JobByName(NameId namespace_name, NameId name);
  uint64_t JobKey(NameId namespace_name, NameId name) const;
  void BuildNode(NodeId id, const NodeSpec& spec);
  void ReadAllocatable(NodeId id, const NodeSpec& spec);
  void ReadMig(NodeId id, const NodeSpec& spec);
  void SetDraGpus(NodeId id, int64_t count);
  std::unique_ptr<NodeNuma> BuildNuma(const NumaTopology& given);
  std::vector<int64_t> ZoneAmounts(const std::map<std::string, int64_t>& by_name);
  NameId DrawGpuGroup();
  TaskId NewTask(NameId uid);
  void ReadExtras(TaskId id, const PodSpec& spec);
  void NoticeAffinity(const PodClass& cls);
  int32_t InternGpuGroups(const std::vector<std::string>& groups);
  void PutOnNode(TaskId id, NodeId node);
  void JoinJob(TaskId id, JobId job);
  void TasksChanged(JobId job);
  void TasksMoved(NodeId node);
  void LinkToNode(TaskId task, NodeId node);
  void UnlinkFromNode(TaskId task);
  void CountForeign(const Task& task, int sign);
  int32_t LabelSetId(const Labels& labels);
  void ReadTaskLabels(Task& task, const Labels& labels);
  void RefreshDevices();
  void RefreshClaims(TaskId task);
  void RefreshNodes();
  void RefreshQueues();
  void RefreshJobs(base::Time now);
  void BuildTree(Job& job);
  void BuildSubGroups(Job& job);
  void SortMembers(Job& job) const;
  Constraint ConstraintOf(const std::optional<TopologyConstraint>& given);
  NameId LevelLabel(const std::string& topology, const std::string& level);
  void CollectTasks(JobId id);
  void ForgetProblems(std::string_view kind, std::string_view name);
  void ForgetProblems(std::string_view kind);
  void CheckLoad(NodeId node);
  void CheckQuotas(const QueueSpec& queue);

  const std::vector<uint8_t> task_orders_;  // As configured.
  std::unordered_map<std::string, int32_t> signatures_;
  boost::unordered_flat_map<NameId, NodeId> node_ids_;
  boost::unordered_flat_map<NameId, TaskId> task_ids_;
  boost::unordered_flat_map<uint64_t, JobId> job_ids_;
  boost::unordered_flat_map<NameId, QueueId> queue_ids_;
  std::vector<TaskId> free_tasks_;
  std::vector<Labels> label_sets_;
  std::map<Labels, int32_t> label_set_ids_;
  std::vector<JobId> changed_jobs_;
  std::vector<TaskId> tasks_with_claims_;
  uint64_t new_groups_ = 0;
  std::unordered_set<NameId> known_groups_;        // Of shared GPUs, as pods carry them.
  std::set<std::array<std::string, 3>> problems_;  // Kind, name, message.
  std::set<NodeId> overcommitted_;
  std::set<TaskId> stranded_;  // On nodes that do not exist.
  std::set<TaskId> negative_;  // Ask for less than nothing.
  bool nodes_changed_ = true;
  bool queues_changed_ = true;
  bool jobs_changed_ = true;

 public:
  std::vector<Sums> foreign_usage;  // By node: requests of used pods that other schedulers placed.
};

}  // namespace coppice::engine
