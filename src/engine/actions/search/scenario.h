#pragma once

#include <boost/unordered/unordered_flat_set.hpp>
#include <memory>
#include <span>
#include <vector>

#include "engine/actions/job_order.h"
#include "engine/actions/search/gpu_bound.h"
#include "engine/actions/search/scenario_filter.h"
#include "engine/framework/session.h"
#include "engine/placement/gang.h"

namespace coppice::engine {

// Tasks that one step of eviction takes from one job.
struct VictimBatch {
  JobId job = kNone;
  std::vector<TaskId> tasks;
};

// Victims in groups: what a search passes on from probe to probe it passes on in whole groups.
struct VictimGroups {
  std::vector<TaskId> tasks;
  std::vector<size_t> ends;  // Of each group, in the list of tasks.

  void Add(std::span<const TaskId> group);
  std::span<const TaskId> Group(size_t i) const;
};

// Who would have to go: victims known from earlier probes, which belong to the probe, and more.
struct Scenario {
  const VictimGroups& recorded;
  VictimGroups more;

  std::vector<TaskId> Victims() const;
};

// One probe of the search: the job part that is to be placed and what it may use.
struct Probe {
  Gang gang;                    // With its first k waiting tasks.
  std::vector<TaskId> pending;  // Those.
  NodeSet feasible;             // Nodes that may have room without any victim, and those that
                                // recorded victims have left.
  VictimGroups recorded;
};

// The job with its active tasks and those `pending`; thresholds are lowered to what is there.
Gang PartOf(const Cluster& cluster, JobId job, std::span<const TaskId> pending);

// Victims gathered one step at a time, worst first; a step whose victims cannot suffice by the
// filters is passed over.
class VictimAccumulator {
 public:
  // `filter`: as it is with the probe's recorded victims.
  VictimAccumulator(Session& session, ScenarioFilter filter, const Probe& probe,
                    std::unique_ptr<JobOrder> victims);

  // Moves to the next state that passes the filters; false at the end.
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
  // False at the end. Without a scenario the next one was not worth simulating.
  virtual bool Next(std::optional<Scenario>& scenario) = 0;
};

// A plugin that makes scenarios: its name in the configuration, and in budgets and counters.
struct ScenarioSource {
  std::string_view plugin;
  const char* name;
  bool one_node;  // All victims of a scenario are of jobs with pods on one node.
  // All of `session`, `probe` and `bound` must outlive the generator.
  std::unique_ptr<ScenarioGenerator> (*make)(Session& session, const Probe& probe,
                                             const GpuBound& bound, VictimAccumulator accumulator);
};

}  // namespace coppice::engine
