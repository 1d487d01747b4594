#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "engine/properties/choices_testing.h"

namespace coppice::engine::testing {

inline constexpr int kGpuMemory = 80000;  // MiB, of each GPU of a random world.

// The request of a pod in a random world; at most one of the GPU fields is set.
struct Demand {
  int gpus = 0;
  int percent = 0;     // Of one GPU's memory, on each of `devices` GPUs.
  int memory_mib = 0;  // Of GPU memory, on each of `devices` GPUs.
  int devices = 1;
  std::string mig;  // A MIG profile.
  int cpu = 1;

  bool shared() const { return percent > 0 || memory_mib > 0; }
};

// A small random cluster that covers everything that affects decisions: sub-group trees,
// topologies, GPU fractions, MIG, queues of several levels with quotas and limits, minimum run
// times, stale and elastic gangs, taints, affinities. The initial pods overcommit nothing.
struct RandomWorld : Choices {
  explicit RandomWorld(Choices choices);

  // Feeds everything to an engine, in an order drawn from `order`.
  Engine Build(uint32_t order = 0) const;
  // For debugging a failure.
  std::string Describe() const;

  Configuration configuration;
  std::string gpu_placement;
  base::Time now{std::chrono::hours(24 * 365 * 56)};
  std::vector<NodeSpec> nodes;
  std::vector<QueueSpec> queues;
  std::vector<TopologySpec> topologies;
  std::vector<PodGroupSpec> groups;
  std::vector<PodSpec> pods;
  std::map<std::string, Demand> demands;  // By pod.

 private:
  struct Room {
    int gpus = 0;
    int cpu = 0;
    std::map<std::string, int> shared;  // MiB used, by GPU group.
    std::map<std::string, int> mig;
  };

  void MakeNodes();
  void MakeQueues();
  void MakeGroup(int index);
  Demand DrawDemand();
  std::vector<std::string> DrawTree(PodGroupSpec& group);
  void DrawConstraint(std::optional<TopologyConstraint>& constraint);
  std::shared_ptr<PodShape> ShapeOf(const Demand& demand, const std::string& group);
  // Places the pod on a node with room for it; false if there is none.
  bool Start(PodSpec& pod, const Demand& demand);

  std::map<std::string, Room> rooms_;
  std::vector<std::string> leaves_;
};

// The rules that a cycle's outcome breaks, as text; empty if none. `before` is the input; `engine`
// is at the end of a cycle that is still open and gave `result`.
std::vector<std::string> BrokenRules(const RandomWorld& before, const Engine& engine,
                                     const CycleResult& result);

}  // namespace coppice::engine::testing
