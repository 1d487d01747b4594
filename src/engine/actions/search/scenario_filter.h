#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "engine/framework/session.h"
#include "engine/placement/gang.h"
#include "engine/placement/predicates.h"

namespace coppice::engine {

struct Probe;

// Requirements against holders, largest first, each into the first of the largest holders that has
// room left. A heuristic: it may say no where a better packing exists, and that is part of the
// behaviour (docs/behaviour/engine.md S-55).
bool GreedyMatch(std::vector<int64_t> requirements, std::vector<int64_t> capacities);
bool GreedyMatchOfParts(std::vector<double> requirements, std::vector<double> capacities);

// Says no only where no packing can do: too little in all, or for the largest.
bool CouldMatch(const std::vector<int64_t>& requirements, const std::vector<int64_t>& capacities);

// Necessary conditions that accumulated victims must meet before they are worth a simulation.
class ScenarioFilter {
 public:
  ScenarioFilter(Session& session, const Probe& probe);

  void AddVictims(std::span<const TaskId> tasks);
  bool Passes() const;
  // Parts of GPUs are added up in floating point, where the order of victims shows.
  bool CountsParts() const { return !devices_.empty(); }

 private:
  struct LevelNeed {
    std::string label;
    std::vector<int64_t> requirements;  // GPU quota per set.
  };

  // By one of the two, as configured.
  bool Match(std::vector<int64_t> requirements, std::vector<int64_t> capacities) const;
  bool AffinitiesPass() const;
  bool TopologyPasses() const;
  bool GpusPass() const;

  Session& session_;
  const Cluster& cluster_;
  const Predicates* predicates_;
  std::vector<int64_t> requirements_;  // GPU quota per pending task.
  // When all requirements are equal: how many of them the nodes can hold, kept up to date.
  int64_t equal_requirement_ = 0;
  int64_t slots_ = 0;
  std::map<std::pair<NameId, NameId>, LevelNeed> levels_;
  std::vector<TaskId> choosy_;     // Pending tasks with demands on nodes.
  std::vector<int64_t> capacity_;  // By node: free, releasing and freed GPUs.
  std::vector<double> devices_;    // The same in devices, where parts of GPUs are asked for.
  std::vector<char> reachable_;    // By node: may be used by the probe.
};

}  // namespace coppice::engine
