#pragma once

#include <functional>
#include <memory>
#include <string>

#include "engine/framework/plugins.h"
#include "engine/placement/gang.h"
#include "engine/result.h"
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

// One cycle: the cluster, the settings and time it is decided under, and what has been decided.
struct Session {
  Session(Cluster& cluster_state, const Configuration& configuration, Plugins plugin_set,
          base::Time time);
  ~Session();

  Cluster& cluster;
  const Configuration& config;
  const Plugins plugins;
  const base::Time now;
  Shares shares;
  // The plugins of the cycle; null where they are off. kCyclePlugins says when each is called.
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
  // How nodeplacement places pods with `leastfragmentation`; else null.
  std::unique_ptr<Fragmentation> fragmentation;
  std::string action;
  CycleResult result;
  std::vector<TaskId> touched;  // Tasks that actions have placed or evicted.
  // Reads elapsed time for search budgets; tests that replay set none and never run out.
  std::function<base::Instant()> stopwatch;

  // Whether the task fits what is free now, volumes included.
  bool FitsIdle(TaskId task, NodeId node) const;
  void BeginAction(std::string_view name) {
    action = name;
    counters_ = &result.actions[action];
  }
  ActionCounters& counters() {
    if (!counters_) BeginAction(action);
    return *counters_;
  }
  // What the cycle says about a job, which is then reported.
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
