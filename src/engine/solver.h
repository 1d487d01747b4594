#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/actions.h"
#include "engine/scenario.h"
#include "engine/search_budget.h"
#include "engine/statement.h"

namespace coppice::engine {

enum class SearchResult { kSolved, kDeadline, kGeneratorsExhausted, kNoGenerator, kNotAttempted };
std::string_view ToString(SearchResult result);

// Looks for victims whose eviction lets a job run (spec 4.4): for growing parts of the job, for
// growing sets of victims, evicts, places the job and as many victims as still fit, and asks the
// action whether that outcome is allowed.
class Solver {
 public:
  struct Problem {
    JobId job;
    VictimQueueFactory victims;
    // Whether the outcome is allowed, asked after the simulation with victims as they then are.
    std::function<bool(const Probe&, const std::vector<TaskId>& victims)> allowed;
  };

  Solver(ActionContext& context, SearchBudget& budget, Problem problem);

  // On success the statement holds the outcome, to be committed.
  SearchResult Solve(Statement& statement);

 private:
  using Fingerprint = std::vector<TaskId>;
  struct Outcome {
    bool solved = false;
    std::optional<SearchResult> stop;
    std::vector<TaskId> victims;
  };

  Outcome Try(Statement& statement, size_t count, Plugins::Generator generator,
              const std::vector<TaskId>& recorded);
  Probe MakeProbe(size_t count, const std::vector<TaskId>& recorded) const;
  std::optional<std::vector<TaskId>> Simulate(Statement& statement, const Probe& probe,
                                              const Scenario& scenario);
  bool PlaceInOrder(Statement& statement, const Probe& probe, const NodeSet& nodes,
                    const std::vector<TaskId>& victims);
  std::vector<JobId> WholeGangs(const std::vector<TaskId>& victims) const;
  bool LeavesParts(const std::vector<JobId>& whole) const;
  NodeSet WithNodesOf(const NodeSet& nodes, const std::vector<TaskId>& tasks) const;
  NodeSet FeasibleNodes() const;
  int UsedTasks() const;

  ActionContext& context_;
  Session& session_;
  Cluster& cluster_;
  SearchBudget& budget_;
  Problem problem_;
  std::vector<TaskId> tasks_;
  NodeSet feasible_;
  std::set<Fingerprint> failed_;
};

}  // namespace coppice::engine
