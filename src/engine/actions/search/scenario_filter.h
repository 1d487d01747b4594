#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "engine/filters/predicates.h"
#include "engine/session/gang.h"
#include "engine/session/session.h"

namespace coppice::engine {

struct Probe;

// Assigns requirements to holders, largest first, each to the first of the largest holders with
// room left. A heuristic: it may return false although a better packing exists, and that is part of
// the behaviour (docs/behaviour/engine.md S-55).
bool GreedyMatch(std::vector<int64_t> requirements, std::vector<int64_t> capacities);
bool GreedyMatchOfParts(std::vector<double> requirements, std::vector<double> capacities);

// Returns false only if no packing is possible: too little in total, or for the largest one.
bool CouldMatch(const std::vector<int64_t>& requirements, const std::vector<int64_t>& capacities);

// Necessary conditions that the collected victims must meet before a simulation is worthwhile.
class ScenarioFilter {
 public:
  ScenarioFilter(Session& session, const Probe& probe);

  void AddVictims(std::span<const TaskId> tasks);
  bool Passes() const;
  // GPU fractions are summed in floating point, so the order of the victims matters.
  bool CountsParts() const { return !devices_.empty(); }

 private:
  struct LevelNeed {
    std::string label;
    std::vector<int64_t> requirements;  // GPU quota per set.
  };

  // Uses one of the two matches, as configured.
  bool Match(std::vector<int64_t> requirements, std::vector<int64_t> capacities) const;
  bool AffinitiesPass() const;
  bool TopologyPasses() const;
  bool GpusPass() const;

  Session& session_;
  const Cluster& cluster_;
  const Predicates* predicates_;
  std::vector<int64_t> requirements_;  // GPU quota per pending task.
  // If all requirements are equal: how many of them the nodes can hold, kept up to date.
  int64_t equal_requirement_ = 0;
  int64_t slots_ = 0;
  std::map<std::pair<NameId, NameId>, LevelNeed> levels_;
  std::vector<TaskId> choosy_;     // Pending tasks with node constraints.
  std::vector<int64_t> capacity_;  // By node: free, releasing and freed GPUs.
  std::vector<double> devices_;    // The same in devices, if GPU fractions are requested.
  std::vector<char> reachable_;    // By node: may be used by the probe.
};

}  // namespace coppice::engine
