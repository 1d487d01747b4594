#pragma once

#include <boost/unordered/unordered_flat_set.hpp>
#include <memory>
#include <span>
#include <vector>

#include "engine/actions/search/gpu_bound.h"
#include "engine/actions/search/scenario_filter.h"
#include "engine/order/job_order.h"
#include "engine/session/gang.h"
#include "engine/session/session.h"

namespace coppice::engine {

// Tasks that one eviction step takes from one job.
struct VictimBatch {
  JobId job = kNone;
  std::vector<TaskId> tasks;
};

// Victims in groups. A search carries victims over from probe to probe in whole groups.
struct VictimGroups {
  std::vector<TaskId> tasks;
  std::vector<size_t> ends;  // End of each group in `tasks`.

  void Add(std::span<const TaskId> group);
  std::span<const TaskId> Group(size_t i) const;
};

// Who would be evicted: victims recorded by earlier probes, which belong to the probe, and more.
struct Scenario {
  const VictimGroups& recorded;
  VictimGroups more;

  std::vector<TaskId> Victims() const;
};

// One probe of the search: the part of the job to place, and what it may use.
struct Probe {
  Gang gang;                    // With its first k waiting tasks.
  std::vector<TaskId> pending;  // Those tasks.
  // Nodes that may have room without any victim, and nodes that recorded victims have left.
  NodeSet feasible;
  VictimGroups recorded;
};

// The job with its active tasks and those in `pending`; thresholds are lowered to match.
Gang PartOf(const Cluster& cluster, JobId job, std::span<const TaskId> pending);

// Collects victims one step at a time, worst first. Skips steps whose victims cannot suffice
// according to the filters.
class VictimAccumulator {
 public:
  // `filter`: its state after the probe's recorded victims.
  VictimAccumulator(Session& session, ScenarioFilter filter, const Probe& probe,
                    std::unique_ptr<JobOrder> victims);

  // Advances to the next state that passes the filters; false at the end.
  bool Next();
  const std::vector<VictimBatch>& potential() const { return potential_; }

 private:
  bool Extend();

  Session& session_;
  const Probe& probe_;
  std::unique_ptr<JobOrder> victims_;
  ScenarioFilter filter_;
  boost::unordered_flat_set<TaskId> recorded_;
  std::vector<VictimBatch> potential_;
  bool started_ = false;
};

// Turns accumulated victims into scenarios.
class ScenarioGenerator {
 public:
  virtual ~ScenarioGenerator() = default;
  // False at the end. If `scenario` is empty, the next one was not worth simulating.
  virtual bool Next(std::optional<Scenario>& scenario) = 0;
};

// A plugin that generates scenarios: its name in the configuration, and in budgets and counters.
struct ScenarioSource {
  std::string_view plugin;
  const char* name;
  bool one_node;  // All victims of a scenario belong to jobs with pods on one node.
  // `session`, `probe` and `bound` must outlive the generator.
  std::unique_ptr<ScenarioGenerator> (*make)(Session& session, const Probe& probe,
                                             const GpuBound& bound, VictimAccumulator accumulator);
};

}  // namespace coppice::engine
