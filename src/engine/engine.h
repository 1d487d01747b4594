#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "engine/inputs/ledger.h"
#include "engine/model/config.h"
#include "engine/model/explanation.h"
#include "engine/model/input.h"
#include "engine/model/result.h"

namespace coppice::engine {

class Recorder;

// The scheduling engine. It learns about the cluster through deltas and computes the decisions of
// one cycle. It does no I/O, reads no clock and keeps its state between cycles, so that the cost of
// a cycle depends on what changed. Not thread-safe; the same deltas and times give the same
// decisions.
//
//   Engine engine(Configuration::Defaults());
//   engine.PutNode(node); engine.PutQueue(queue); engine.PutPodGroup(group); engine.PutPod(pod);
//   CycleResult decided = engine.RunCycle(clock.Now());
//
// After a cycle, bound pods stay Binding and evicted pods stay Releasing until the next PutPod or
// RemovePod; pipelined pods are pending again.
//
// Objects may arrive in any order and may refer to objects that do not exist (yet): a pod to its
// group, a group to its queue, a queue to its parent. Unusable objects are ignored in decisions and
// reported in CycleResult::problems; a put never fails.
class Engine {
 public:
  explicit Engine(Configuration configuration);
  ~Engine();
  Engine(Engine&&) noexcept;
  Engine& operator=(Engine&&) noexcept;

  void PutNode(const NodeSpec& node);
  void RemoveNode(std::string_view name);
  void PutPod(const PodSpec& pod);
  void RemovePod(std::string_view uid);
  void PutPodGroup(const PodGroupSpec& group);
  void RemovePodGroup(std::string_view namespace_name, std::string_view name);
  void PutQueue(const QueueSpec& queue);
  void RemoveQueue(std::string_view name);
  void PutTopology(const TopologySpec& topology);
  void RemoveTopology(std::string_view name);
  void PutConfigMap(std::string_view namespace_name, std::string_view name);
  void RemoveConfigMap(std::string_view namespace_name, std::string_view name);

  // Labels of namespaces, for the namespace selectors of pod affinity terms.
  void PutNamespace(std::string_view name, const Labels& labels);
  void RemoveNamespace(std::string_view name);

  void PutDeviceClass(const DeviceClassSpec& device_class);
  void RemoveDeviceClass(std::string_view name);
  void PutResourceSlice(const ResourceSliceSpec& slice);
  void RemoveResourceSlice(std::string_view name);
  void PutResourceClaim(const ResourceClaimSpec& claim);
  void RemoveResourceClaim(std::string_view namespace_name, std::string_view name);

  void PutVolumeClaim(const PersistentVolumeClaimSpec& claim);
  void RemoveVolumeClaim(std::string_view namespace_name, std::string_view name);
  void PutVolume(const PersistentVolumeSpec& volume);
  void RemoveVolume(std::string_view name);
  void PutStorageClass(const StorageClassSpec& storage_class);
  void RemoveStorageClass(std::string_view name);
  void PutCsiDriver(const CsiDriverSpec& driver);
  void RemoveCsiDriver(std::string_view name);
  void PutStorageCapacity(const CsiStorageCapacitySpec& capacity);
  void RemoveStorageCapacity(std::string_view namespace_name, std::string_view name);

  // Sets the start time of a group whose spec has none. Its next Put overrides it.
  void SetLastStart(std::string_view namespace_name, std::string_view name, base::Time time);
  // Until when surplus pods of the group's set leave capacity to a gang of the set, as decided by
  // another engine, so that Explain reports it too.
  void SetSurplusHeldUntil(std::string_view namespace_name, std::string_view name,
                           base::Time until);

  // The same by set ("namespace/name"), as RecordAll has written it.
  void SetSurplusHeldSince(std::string_view set, base::Time since);

  // Replaces all usage; queues that are not listed used nothing.
  void SetUsage(const std::map<std::string, QueueUsage>& usage);

  // Enables the time budgets of victim searches. Without a stopwatch they never run out.
  void SetStopwatch(std::function<base::Instant()> stopwatch);

  // One complete cycle: open, the configured actions in order, close.
  CycleResult RunCycle(base::Time now);

  // The same in steps, for tools and tests that inspect the state between actions.
  void OpenCycle(base::Time now);
  void RunAction(std::string_view action);
  CycleResult CloseCycle();
  // The waiting jobs in the order in which the open cycle's allocate action would serve them.
  struct OrderedJob {
    GroupKey group;
    std::string queue;
    int64_t priority = 0;
  };
  std::vector<OrderedJob> AllocateOrder() const;
  // What the open cycle has decided so far.
  const CycleResult& SoFar() const;

  // The current state; inside a cycle it includes the effects of the actions so far.
  struct PodState {
    TaskStatus status = TaskStatus::kPending;
    std::string node;
    std::vector<std::string> gpu_groups;
    double gpus_requested = 0;
    double gpus_accepted = 0;
    double milli_cpu = 0;
    double memory = 0;
    std::vector<int> numa_zones;  // Indices of the node's zones.
  };
  struct NodeState {
    double idle_gpus = 0;
    double releasing_gpus = 0;
    double used_gpus = 0;
    std::vector<std::map<std::string, int64_t>> numa_available;  // By zone.
  };
  std::optional<PodState> FindPod(std::string_view uid) const;
  std::optional<NodeState> FindNode(std::string_view name) const;
  // The detailed fit-error text of a group ("" if there is none), and its last start.
  std::string FitErrorText(std::string_view namespace_name, std::string_view name) const;
  std::optional<base::Time> LastStart(std::string_view namespace_name, std::string_view name) const;
  // Claims with their current allocation, including in-cycle assumptions.
  std::optional<ResourceClaimSpec> FindClaim(std::string_view namespace_name,
                                             std::string_view name) const;

  // Why a pod group waits (see explain.h). Call between cycles.
  std::optional<Explanation> Explain(std::string_view namespace_name, std::string_view name,
                                     base::Time now);
  // Whether each group would be placed now: the result of a cycle that had only this group to
  // allocate. Changes nothing. Many questions in one call cost little more than one.
  struct Question {
    PodGroupSpec group;
    std::vector<PodSpec> pods;
  };
  std::vector<bool> WouldAllocate(const std::vector<Question>& questions, base::Time now);
  // The same, with the node of each pod in the order of the question; "" if it gets none.
  struct Fit {
    bool placed = false;
    bool waits = false;  // Some of its pods wait for pods that are terminating.
    std::vector<std::string> nodes;
  };
  std::vector<Fit> TryAllocate(const std::vector<Question>& questions, base::Time now);

  // Whether some group has pods that the next cycle would try to place. Between cycles.
  bool AnythingWaits(base::Time now);
  // Whether at least the group's minimum is on nodes. Between cycles.
  bool HasMinimum(std::string_view namespace_name, std::string_view name);

  // Keeps all input, so that the engine can be forked. Call before the first delta.
  void KeepInputs();
  // Null unless inputs are kept.
  const Ledger* inputs() const;
  // Passes all further input to the recorder, which must outlive it; null: no more.
  void SetRecorder(Recorder* recorder);
  // Everything that is needed to make another engine decide the same, except how its ids for shared
  // GPUs go on. Requires KeepInputs; between cycles.
  void RecordAll(Recorder& recorder) const;
  // A second engine in the same state, which decides the same; neither affects the other. It
  // forgets which pods were placed in the past (placement `leastfragmentation`), and has no
  // stopwatch. Requires KeepInputs; call between cycles.
  Engine Fork() const;

  const Configuration& configuration() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace coppice::engine
