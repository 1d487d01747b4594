#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/config.h"
#include "engine/state/input_problems.h"
#include "engine/state/node.h"
#include "engine/state/task.h"
#include "engine/state/values/columns.h"
#include "engine/state/values/cycle_log.h"
#include "engine/state/values/journal.h"
#include "engine/state/values/name_lists.h"
#include "engine/state/values/names.h"
#include "engine/state/values/pod_class.h"
#include "engine/state/values/quantities.h"
#include "engine/state/values/resources.h"

namespace coppice::engine {

// The nodes by dense numbers, with what they offer and what pods take of it
// (docs/behaviour/engine.md S-22 to S-25). A number is a name's for good: pods may name a node
// before anybody tells of it, and after it is gone.
//
// Invariants: every node has a row of amounts with a column for each known resource. What is idle,
// used and releasing, and the shared GPUs, ports, presence and devices of a node follow from its
// allocatable amounts and the charges since ClearCharges; taking a charge back restores every bit.
// Whatever changes them inside a cycle is in the journal and in the log. After Refresh, order() has
// exactly the nodes that pods may go to, by name, and rank is a node's place in it.
class NodeTable {
 public:
  // All of them must outlive the table.
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
  NodeId Find(std::string_view name) const;  // kNone when there is no such node.
  size_t size() const { return nodes_.size(); }
  const Node& operator[](NodeId id) const { return nodes_[id]; }
  const NodeAmounts& amounts() const { return amounts_; }
  const NodeSet& order() const { return order_; }
  // The smallest and the largest GPU, in MiB, of nodes that report more than 100.
  std::optional<int64_t> min_gpu_memory() const { return min_gpu_memory_; }
  std::optional<int64_t> max_gpu_memory() const { return max_gpu_memory_; }
  // Whether nodes count their pods for inter-pod affinity.
  bool counts_presence() const { return counts_presence_; }
  // Requests of used pods that other schedulers placed on the node.
  Sums ForeignUse(NodeId node) const {
    return node < static_cast<NodeId>(foreign_use_.size()) ? foreign_use_[node] : Sums();
  }

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

  // ---- Deltas, between cycles.
  // The number of the name, drawn where it has none.
  NodeId ByName(std::string_view name);
  // Reads a spec; charges are then out of date. Returns whether the node is new or has other
  // labels.
  bool Put(NodeId id, const NodeSpec& spec, InputProblems& problems);
  void Remove(NodeId id);
  // How many GPUs of the node are in resource slices; charges are then out of date.
  void SetDraGpus(NodeId id, int64_t count);
  void AddForeignUse(NodeId node, const Sums& amount, int sign);
  // From now on nodes count who is there; charges are then out of date.
  void CountPresence() { counts_presence_ = true; }
  // Gives every node a column for every resource.
  void FitResources();
  void Refresh();
  // The size of GPUs where no node reports one.
  void AssumeGpuMemory(int64_t mib);

  // ---- Charges.
  // A pod of this class takes (+1) from the node, or gives back (-1), what it takes in a status.
  void Charge(NodeId node, const Task& task, const PodClass& cls, TaskStatus status, int32_t groups,
              int sign);
  // The same for the plain amounts alone, as the journal notes them.
  void ReverseCharge(NodeId node, const PodClass& cls, int64_t noted);
  // What if more of a resource were free on the node.
  void AddIdle(NodeId node, int resource, int64_t amount);
  // As if nobody were there.
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
