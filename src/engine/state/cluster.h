#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/model/config.h"
#include "engine/state/jobs/job_signatures.h"
#include "engine/state/jobs/job_table.h"
#include "engine/state/jobs/task_table.h"
#include "engine/state/nodes/device_state.h"
#include "engine/state/nodes/gpu_group_ids.h"
#include "engine/state/nodes/node_table.h"
#include "engine/state/nodes/storage.h"
#include "engine/state/queue_tree.h"
#include "engine/state/topologies.h"
#include "engine/state/values/cycle_log.h"
#include "engine/state/values/input_problems.h"
#include "engine/state/values/journal.h"
#include "engine/state/values/label_sets.h"
#include "engine/state/values/name_lists.h"
#include "engine/state/values/names.h"
#include "engine/state/values/pod_class.h"

namespace coppice::engine {

// Objects that pods refer to by name and that have no other relations here.
struct ReferencedObjects {
  std::set<std::pair<std::string, std::string>> config_maps;  // Namespace, name.
  std::map<std::string, Labels, std::less<>> namespaces;
  Storage storage;
};

// The state of the cluster. Each part keeps its own invariants (see its header) and can be read
// directly. What must agree between parts changes only here: a node's charges are those of its
// pods, a pod set's counts those of its pods, a queue's allocation that of its jobs.
//
// Changed by deltas between cycles and, recorded in the journal, by actions inside a cycle: rolling
// the journal back restores everything that the actions changed. Not thread-safe.
class Cluster final : private Journal::Reverser {
 public:
  explicit Cluster(const Configuration& configuration);

  // ---- The parts.
  const Names& names() const { return names_; }
  const ResourceIndex& resources() const { return resources_; }
  const PodClasses& classes() const { return classes_; }
  const NameLists& name_lists() const { return name_lists_; }
  const LabelSets& label_sets() const { return label_sets_; }
  const NodeTable& nodes() const { return nodes_; }
  const NodeAmounts& amounts() const { return nodes_.amounts(); }
  const NodeSet& node_order() const { return nodes_.order(); }
  const TaskTable& tasks() const { return tasks_; }
  const JobTable& jobs() const { return jobs_; }
  const std::vector<JobId>& job_order() const { return jobs_.order(); }
  const QueueTree& queues() const { return queues_; }
  const CycleLog& log() const { return log_; }
  // For components with their own state that a trial may change.
  Journal& journal() { return journal_; }
  DeviceState& devices() { return devices_; }
  const DeviceState& devices() const { return devices_; }
  ReferencedObjects& objects() { return objects_; }
  const ReferencedObjects& objects() const { return objects_; }
  InputProblems& problems() { return problems_; }
  const Configuration& configuration() const { return configuration_; }

  // ---- Deltas, between cycles. The cost depends only on the object.
  void PutNode(const NodeSpec& spec);
  void RemoveNode(std::string_view name);
  void PutPod(const PodSpec& spec);
  void RemovePod(std::string_view uid);
  void PutPodGroup(const PodGroupSpec& spec);
  void RemovePodGroup(std::string_view namespace_name, std::string_view name);
  void PutQueue(const QueueSpec& spec);
  void RemoveQueue(std::string_view name);
  void PutTopology(const TopologySpec& spec);
  void RemoveTopology(std::string_view name);

  std::vector<InputProblem> Problems() const;

  // ---- A cycle: Refresh, BeginCycle, changes, EndCycle, then SettleTask for the decisions.
  // Refresh updates derived state (orders, trees, links).
  void Refresh();
  void BeginCycle();
  void EndCycle();
  // Sets a task's status and place permanently, as after a commit, bypassing the journal.
  void SettleTask(TaskId task, TaskStatus status, NodeId node, int32_t groups);
  // Recomputes a node's charges from its pods.
  void RebuildNode(NodeId node);
  // Call when no task is charged at a second place any more.
  void ForgetPlaces() { tasks_.ForgetPlaces(); }
  // Pods with a deletion time that are terminating, before the cycle begins.
  const std::vector<TaskId>& Leaving();

  // ---- Look-up.
  NodeId FindNode(std::string_view name) const { return nodes_.Find(name); }
  TaskId FindTask(std::string_view uid) const { return tasks_.Find(names_.Find(uid)); }
  JobId FindJob(std::string_view namespace_name, std::string_view name) const {
    return jobs_.Find(namespace_name, name);
  }
  QueueId FindQueue(std::string_view name) const { return queues_.Find(name); }
  const PodClass& ClassOf(const Task& task) const { return classes_[task.cls]; }
  const PodClass& ClassOf(TaskId task) const { return classes_[tasks_[task].cls]; }
  std::string_view Text(NameId id) const { return names_.Text(id); }
  const Labels& LabelSet(int32_t id) const { return label_sets_[id]; }
  NamedLabels LabelsOf(NodeId node) const { return {names_, nodes_[node].labels}; }
  std::string PodName(TaskId task) const;  // "namespace/name".
  // Some pod has pod affinity or anti-affinity terms.
  bool affinity_in_use() const { return nodes_.counts_presence(); }
  bool orders_sub_groups() const { return orders_sub_groups_; }  // Plugin subgrouporder.
  const Topologies& topologies() const { return topologies_; }
  const TopologyTree* TreeOf(NameId topology) { return topologies_.TreeOf(*this, topology); }
  // Equal for jobs whose waiting pods are alike, ignoring their requests (S-34).
  int32_t SignatureOf(JobId job) { return signatures_.Of(jobs_[job], tasks_, classes_); }
  int32_t InternGpuGroups(const std::vector<NameId>& groups) { return name_lists_.Intern(groups); }
  NameId InternName(std::string_view text) { return names_.Intern(text); }
  std::optional<int> ResourceOf(std::string_view name) { return resources_.IndexOf(name); }

  // ---- Changes inside a cycle, recorded in the journal.
  void SetStatus(TaskId task, TaskStatus status);
  void Charge(NodeId node, TaskId task, TaskStatus status, int32_t groups) {
    nodes_.Charge(node, tasks_[task], ClassOf(task), status, groups, +1);
  }
  void Uncharge(NodeId node, TaskId task, TaskStatus status, int32_t groups) {
    nodes_.Charge(node, tasks_[task], ClassOf(task), status, groups, -1);
  }
  // For what-if: more of a resource is free on the node.
  void AddIdle(NodeId node, int resource, int64_t amount) {
    nodes_.AddIdle(node, resource, amount);
  }
  // Updates the task's place; the caller updates the charges.
  void MoveTask(TaskId task, NodeId node, int32_t groups, bool planned);
  // Keeps the charge at the task's current place while it moves on.
  void LeaveBehind(TaskId task) { tasks_.LeaveBehind(task); }
  void SetVirtual(TaskId task, bool is_virtual);
  void SetPlanned(TaskId task, bool planned);
  // The zones that it uses; the caller updates the zones' amounts.
  void SetZones(TaskId task, std::vector<ZoneAmount> zones);
  void AddToZone(NodeId node, int zone, size_t resource, int64_t amount) {
    nodes_.AddToZone(node, zone, resource, amount);
  }
  void FreeZones(NodeId node) { nodes_.FreeZones(node); }
  void SetExtendedClaim(TaskId task, std::optional<ClaimAllocation> allocation);
  // Adds what the task has on `node` to a queue and its ancestors, or subtracts it.
  void ChargeQueue(JobId job, TaskId task, NodeId node, int sign);
  // A new id for a GPU that becomes shared; a rollback makes it available again.
  NameId NewGpuGroup() { return group_ids_.Draw(journal_); }
  void ContinueGpuGroups(const Cluster& other) { group_ids_.ContinueAfter(other.group_ids_); }

  // ---- Records and results of a cycle, which no rollback undoes.
  // The extras that few pods have are created on demand.
  const TaskExtras& ExtrasOf(TaskId task) { return tasks_[task].extras.Get(); }
  // Why no node fits the pod.
  std::optional<TaskErrors>& ErrorsOf(TaskId task) { return tasks_[task].extras.Get().errors; }
  void ForgetErrors(TaskId task) {
    if (tasks_[task].extras) tasks_[task].extras->errors.reset();
  }
  // The pod leaves for good.
  void NotVirtual(TaskId task) { tasks_[task].is_virtual = false; }
  // The devices allocated to its claims, before the claims' own status shows it.
  void NoteClaims(TaskId task, std::map<std::string, ClaimAllocation> allocations) {
    tasks_[task].extras.Get().claim_allocations = std::move(allocations);
  }
  JobRecord& RecordOf(JobId job) { return jobs_[job]; }
  QueueAmounts& AmountsOf(QueueId queue) { return queues_.amounts(queue); }
  // By set: since when pods beyond their gang's minimum leave capacity alone (SurplusHold).
  std::map<NameId, base::Time>& surplus_held_since() { return surplus_held_since_; }

  // ---- Rules about one task and one node.
  bool FitsIdle(TaskId task, NodeId node) const { return Fits(task, node, false); }
  bool FitsIdleOrReleasing(TaskId task, NodeId node) const { return Fits(task, node, true); }
  bool FitsOnGroup(TaskId task, NodeId node, const GpuGroup& group) const;
  bool FitsIdleOnGroup(TaskId task, NodeId node, const GpuGroup& group) const;
  // Only nodeSelector and required node affinity.
  bool MatchesNodeAffinity(const PodClass& cls, NodeId node) const;
  // Accepted GPUs of the task on the node in thousandths, including claimed devices.
  int64_t AcceptedGpu(const Task& task, NodeId node) const;
  Sums AcceptedOf(const Task& task, NodeId node) const;
  // GPU quota in thousandths: requested, or accepted where it is placed (S-20).
  int64_t RequestedQuota(const Task& task) const { return ClassOf(task).quota; }
  int64_t AcceptedQuota(const Task& task, NodeId node) const {
    return AcceptedOf(task, node)[kGpu];
  }

 private:
  void Reverse(uint8_t operation, int32_t a, int32_t b, int64_t c) override;
  bool Fits(TaskId task, NodeId node, bool with_releasing) const;
  bool FitsShared(TaskId task, NodeId node, bool with_releasing) const;
  bool ServedByClaims(NodeId node, int resource) const;

  void ReadExtras(TaskId id, const PodSpec& spec);
  void NoticeAffinity(const PodClass& cls);
  int32_t ReadGpuGroups(const std::vector<std::string>& given, const GpuRequest& request);
  void PutOnNode(TaskId id, NodeId node);
  void TasksMoved(NodeId node);
  void CountForeign(const Task& task, int sign);
  void CheckLoad(NodeId node) { problems_.MarkOvercommitted(node, nodes_.Overcommitted(node)); }
  void RefreshDevices();
  void RefreshClaims(TaskId task);
  void RefreshJobs();
  void CollectTasks(JobId id);

  const Configuration& configuration_;
  const bool orders_sub_groups_;
  const bool scores_affinity_;              // Some plugin scores preferred pod affinity.
  const std::vector<uint8_t> task_orders_;  // Indices into TaskOrders.

  Names names_;
  ResourceIndex resources_;
  PodClasses classes_;
  NameLists name_lists_;
  LabelSets label_sets_;
  JobSignatures signatures_;
  Journal journal_;
  CycleLog log_;
  GpuGroupIds group_ids_;
  InputProblems problems_;
  NodeTable nodes_;
  TaskTable tasks_;
  JobTable jobs_;
  QueueTree queues_;
  Topologies topologies_;
  DeviceState devices_;
  ReferencedObjects objects_;
  std::map<NameId, base::Time> surplus_held_since_;
};

}  // namespace coppice::engine
