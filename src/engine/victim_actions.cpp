#include "engine/victim_actions.h"

#include <fmt/format.h>

namespace coppice::engine {

JobOrder::Options ActionOptions(const Session& session, const std::string& action) {
  JobOrder::Options options;
  options.only_pending = options.only_ready = options.outside_preemption_delay = true;
  auto depth = session.config.queue_depth_per_action.find(action);
  if (depth != session.config.queue_depth_per_action.end()) options.depth = depth->second;
  return options;
}

bool VictimInvariantHolds(ActionContext& context, const Gang& gang) {
  if (!context.predicates) return true;
  Cluster& cluster = context.session.cluster;
  for (TaskId task : gang.TasksToAllocate(false)) {
    const auto failure = context.predicates->VictimInvariant(task);
    if (!failure || !failure->unresolvable) continue;
    // What an earlier action said about the pod stands.
    auto& errors = cluster.tasks[task].Extras().errors;
    if (!errors) errors = TaskErrors{failure->message, {}};
    const std::string text = fmt::format("Resources were not found for pod {} due to: {}",
                                         cluster.PodName(task), failure->message);
    context.session.job(gang.id()).errors.errors.push_back({"PodSchedulingErrors", text, text, {}});
    return false;
  }
  return true;
}

bool SearchAndCommit(ActionContext& context, SearchBudget& budget, const SearchSpec& spec,
                     bool& placed) {
  Session& session = context.session;
  Statement statement(session);
  Solver solver(context, budget, spec.problem);
  const SearchResult result = solver.Solve(statement);
  ++session.counters().search_results[std::string(ToString(result))];
  placed = result == SearchResult::kSolved;
  if (placed) {
    statement.CountVictimsOnce();
    statement.Commit(spec.text, spec.problem.job);
    ++session.counters().groups_scheduled;
  } else {
    statement.Discard();
  }
  return result != SearchResult::kDeadline && result != SearchResult::kNotAttempted;
}

VictimQueueFactory VictimQueue(ActionContext& context, const std::vector<JobId>& candidates) {
  std::vector<char> allowed(context.session.cluster.jobs.size());
  for (JobId id : candidates) allowed[id] = 1;
  return [&context, allowed = std::move(allowed)] {
    JobOrder::Options options;
    options.victims = true;
    auto order = std::make_unique<JobOrder>(context.session, options);
    order->Use(context.lists.active(), allowed);
    return order;
  };
}

}  // namespace coppice::engine
