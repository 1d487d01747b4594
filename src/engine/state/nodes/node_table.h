#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/config.h"
#include "engine/state/jobs/task.h"
#include "engine/state/nodes/node.h"
#include "engine/state/values/columns.h"
#include "engine/state/values/cycle_log.h"
#include "engine/state/values/input_problems.h"
#include "engine/state/values/journal.h"
#include "engine/state/values/name_lists.h"
#include "engine/state/values/names.h"
#include "engine/state/values/pod_class.h"
#include "engine/state/values/quantities.h"
#include "engine/state/values/resources.h"

namespace coppice::engine {

// The nodes by dense ids, with what they offer and what pods use (docs/behaviour/engine.md S-22 to
// S-25). An id belongs to a name forever, because pods may name a node before it is added and after
// it is gone.
//
// Invariants: every node has a row of amounts with a column for each known resource. The idle, used
// and releasing amounts and the shared GPUs, ports, presence and devices of a node follow from its
// allocatable amounts and the charges since ClearCharges; reverting a charge restores every bit.
// All changes inside a cycle are in the journal and in the log. After Refresh, order() has exactly
// the nodes that pods may be placed on, by name, and rank is a node's position in it.
class NodeTable {
 public:
  // All members must outlive the table.
  struct Context {
    const Configuration& configuration;
    Names& names;
    ResourceIndex& resources;
    NameLists& name_lists;
    Journal& journal;
    CycleLog& log;
  };
  explicit NodeTable(const Context& context) : context_(context) {}

  // ---- Look-up.
  NodeId Find(std::string_view name) const;  // kNone if there is no such node.
  size_t size() const { return nodes_.size(); }
  const Node& operator[](NodeId id) const { return nodes_[id]; }
  const NodeAmounts& amounts() const { return amounts_; }
  const NodeSet& order() const { return order_; }
  // The smallest and the largest GPU, in MiB, among nodes that report more than 100.
  std::optional<int64_t> min_gpu_memory() const { return min_gpu_memory_; }
  std::optional<int64_t> max_gpu_memory() const { return max_gpu_memory_; }
  // Whether nodes count their pods for inter-pod affinity.
  bool counts_presence() const { return counts_presence_; }
  // Requests of the used pods that other schedulers placed on the node.
  Sums ForeignUse(NodeId node) const {
    return node < static_cast<NodeId>(foreign_use_.size()) ? foreign_use_[node] : Sums();
  }

  // Free and releasing GPUs including shared ones (S-22), in thousandths; memory in MiB.
  int64_t IdleGpuSum(NodeId node) const;
  int64_t ReleasingGpuSum(NodeId node) const;
  // Both in devices, summed in floating point as upstream does: what is left of a GPU with 0.8 used
  // is slightly less than 0.2, which matters if exactly 0.2 is requested.
  double FreeGpus(NodeId node) const;
  int64_t IdleGpuMemory(NodeId node) const;
  int64_t ReleasingGpuMemory(NodeId node) const;
  // The free part of shared GPUs, in GPUs.
  double SharedGpusFree(NodeId node) const;

  // ---- Deltas, between cycles.
  // The id of the name; assigns one if needed.
  NodeId ByName(std::string_view name);
  // Reads a spec; invalidates the charges. Returns whether the node is new or its labels changed.
  bool Put(NodeId id, const NodeSpec& spec, InputProblems& problems);
  void Remove(NodeId id);
  // The number of the node's GPUs in resource slices; invalidates the charges.
  void SetDraGpus(NodeId id, int64_t count);
  void AddForeignUse(NodeId node, const Sums& amount, int sign);
  // Makes nodes count their pods for affinity from now on; invalidates the charges.
  void CountPresence() { counts_presence_ = true; }
  // Gives every node a column for every resource.
  void FitResources();
  void Refresh();
  // The GPU size to assume if no node reports one.
  void AssumeGpuMemory(int64_t mib);

  // ---- Charges.
  // Adds (+1) or removes (-1) what a pod of this class uses of the node in a status.
  void Charge(NodeId node, const Task& task, const PodClass& cls, TaskStatus status, int32_t groups,
              int sign);
  // Reverts only the plain amounts, as recorded in the journal.
  void ReverseCharge(NodeId node, const PodClass& cls, int64_t noted);
  // For what-if: more of a resource is free on the node.
  void AddIdle(NodeId node, int resource, int64_t amount);
  // Resets the node to having no pods.
  void ClearCharges(NodeId node);
  bool Overcommitted(NodeId node) const;

  // ---- NUMA zones.
  void FreeZones(NodeId node) { nodes_[node].numa->available = nodes_[node].numa->allocatable; }
  void AddToZone(NodeId node, int zone, size_t resource, int64_t amount);

 private:
  void Build(NodeId id, const NodeSpec& spec, InputProblems& problems);
  void ReadAllocatable(NodeId id, const NodeSpec& spec, InputProblems& problems);
  void ReadMig(NodeId id, const NodeSpec& spec);
  std::unique_ptr<NodeNuma> BuildNuma(const NumaTopology& given);
  std::vector<int64_t> ZoneAmounts(const std::map<std::string, int64_t>& by_name);

  void AddAmounts(NodeId node, const PodClass& cls, int64_t gpu, TaskStatus status, int sign);
  int64_t DeviceDelta(Node& node, const Task& task, int64_t gpu, int sign);
  void ChargeGroups(NodeId node, int64_t memory, TaskStatus status, int32_t groups, int sign);
  void AddToGroup(NodeId node, GpuGroup& group, int64_t memory, TaskStatus status);
  void RemoveFromGroup(NodeId node, GpuGroup& group, int64_t memory, TaskStatus status);
  int64_t UsedDevices(NodeId node) const;
  void ChargePresence(NodeId node, const Task& task, const PodClass& cls, int sign);

  const Context context_;
  std::vector<Node> nodes_;
  NodeAmounts amounts_;
  boost::unordered_flat_map<NameId, NodeId> ids_;
  std::vector<Sums> foreign_use_;
  NodeSet order_;
  std::optional<int64_t> min_gpu_memory_;
  std::optional<int64_t> max_gpu_memory_;
  bool counts_presence_ = false;
  bool changed_ = true;
};

}  // namespace coppice::engine
