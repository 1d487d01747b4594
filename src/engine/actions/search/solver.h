#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/actions/search/action_context.h"
#include "engine/actions/search/scenario.h"
#include "engine/actions/search/search_budget.h"
#include "engine/placement/statement.h"

namespace coppice::engine {

enum class SearchResult { kSolved, kDeadline, kGeneratorsExhausted, kNoGenerator, kNotAttempted };
std::string_view ToString(SearchResult result);

// Searches for victims whose eviction lets a job run (docs/behaviour/engine.md S-48 to S-50). For
// growing parts of the job and growing sets of victims, it evicts, places the job and as many
// victims as still fit, and asks the action whether that outcome is allowed.
class Solver {
 public:
  struct Problem {
    JobId job = kNone;
    std::vector<JobId> candidates;  // Jobs that may be evicted.
    // Whether the outcome is allowed. Called after the simulation, with the victims in their new
    // state.
    std::function<bool(const Probe&, const std::vector<TaskId>& victims)> allowed;
  };

  Solver(ActionContext& context, SearchBudget& budget, Problem problem);

  // On success the statement holds the outcome, ready to be committed.
  SearchResult Solve(Statement& statement);

 private:
  using Fingerprint = std::vector<TaskId>;
  // What a solved probe passes on to the next.
  struct Lesson {
    VictimGroups victims;      // Groups in which at least one victim lost its place.
    std::vector<TaskId> left;  // Those victims.
  };
  struct Outcome {
    bool solved = false;
    bool repeatable = false;  // A probe of the same tasks with these victims gives the same result.
    std::optional<SearchResult> stop;
    Lesson lesson;
  };

  Outcome Try(Statement& statement, size_t count, const ScenarioSource& source,
              const Lesson& learnt);
  Probe MakeProbe(size_t count, const Lesson& learnt) const;
  Outcome Simulate(Statement& statement, const Probe& probe, const Scenario& scenario,
                   int64_t& rejected);
  Lesson LessonOf(const Scenario& scenario) const;
  bool PlaceInOrder(Statement& statement, const Probe& probe, const NodeSet& nodes,
                    const std::vector<JobId>& victim_jobs);
  std::unique_ptr<JobOrder> Victims() const;  // Worst first.
  // `filter`: its state after the probe's recorded victims.
  bool WouldRepeat(const Probe& probe, const Scenario& scenario, ScenarioFilter filter) const;
  static Fingerprint FingerprintOf(const Probe& probe, const Scenario& scenario);
  std::vector<JobId> JobsOf(const std::vector<TaskId>& tasks) const;
  std::vector<JobId> WholeGangs(std::vector<JobId> jobs) const;
  void RepeatErrors();
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
  JobOrder::Allowed may_go_;
  // Jobs that the last simulation tried to place again, with the number of errors they had before.
  std::vector<std::pair<JobId, size_t>> noted_;
  std::set<Fingerprint> failed_;
};

}  // namespace coppice::engine
