#pragma once

#include <functional>
#include <memory>
#include <string>

#include "engine/framework/plugins.h"
#include "engine/model/result.h"
#include "engine/session/gang.h"
#include "engine/shares/shares.h"
#include "engine/state/cluster.h"

namespace coppice::engine {

class DevicePlanner;
class Fragmentation;
class GpuSharingOrder;
class NodeAvailability;
class NodePreference;
class NominatedNode;
class NumaPlanner;
class PodAffinityScorer;
class Predicates;
class ResourceType;
class StorageCapacity;
class TopologyPlanner;

// One cycle: the cluster, the settings and time of its decisions, and the decisions so far.
struct Session {
  // Defined in engine/cycle, where the plugins are complete types.
  Session(Cluster& cluster_state, const Configuration& configuration, Plugins plugin_set,
          base::Time time);
  ~Session();

  Cluster& cluster;
  const Configuration& config;
  const Plugins plugins;
  const base::Time now;
  Shares shares;
  // The plugins of the cycle; null if disabled. kCyclePlugins defines the order of calls.
  std::unique_ptr<Predicates> predicates;
  std::unique_ptr<DevicePlanner> devices;
  std::unique_ptr<NumaPlanner> numa;
  std::unique_ptr<TopologyPlanner> topology;
  std::unique_ptr<StorageCapacity> storage;
  std::unique_ptr<PodAffinityScorer> pod_affinity;
  std::unique_ptr<NominatedNode> nominated_node;
  std::unique_ptr<GpuSharingOrder> gpu_sharing_order;
  std::unique_ptr<NodeAvailability> node_availability;
  std::unique_ptr<NodePreference> node_preference;
  std::unique_ptr<ResourceType> resource_type;
  // Set if nodeplacement uses `leastfragmentation`, else null.
  std::unique_ptr<Fragmentation> fragmentation;
  std::string action;
  CycleResult result;
  std::vector<TaskId> touched;  // Tasks that actions placed or evicted.
  // Elapsed time for search budgets. Tests that replay leave it empty, so that budgets never run
  // out.
  std::function<base::Instant()> stopwatch;

  void BeginAction(std::string_view name) {
    action = name;
    counters_ = &result.actions[action];
  }
  ActionCounters& counters() {
    if (!counters_) BeginAction(action);
    return *counters_;
  }
  // The cycle's record about a job, which will then be reported.
  JobRecord& job(JobId id) {
    JobRecord& record = cluster.RecordOf(id);
    record.report = true;
    return record;
  }
  GroupKey KeyOf(JobId id) const;
  PodKey KeyOfPod(TaskId id) const;

 private:
  ActionCounters* counters_ = nullptr;
};

}  // namespace coppice::engine
