#include "engine/actions/victim_actions.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "engine/session/messages.h"

namespace coppice::engine {

JobOrder::Options ActionOptions(const Session& session, const std::string& action) {
  JobOrder::Options options;
  options.only_pending = options.only_ready = options.outside_preemption_delay = true;
  auto depth = session.config.queue_depth_per_action.find(action);
  if (depth != session.config.queue_depth_per_action.end()) options.depth = depth->second;
  return options;
}

bool VictimInvariantHolds(ActionContext& context, const Gang& gang) {
  if (!context.session.predicates) return true;
  Cluster& cluster = context.session.cluster;
  for (TaskId task : gang.TasksToAllocate(false)) {
    const auto failure = context.session.predicates->VictimInvariant(task);
    if (!failure || !failure->unresolvable) continue;
    // Keeps what an earlier action recorded about the pod.
    auto& errors = cluster.ErrorsOf(task);
    if (!errors) errors = TaskErrors{failure->message, {}};
    const std::string text = fmt::format("Resources were not found for pod {} due to: {}",
                                         cluster.PodName(task), failure->message);
    context.session.job(gang.id()).errors.Add(FitError{"PodSchedulingErrors", text, text, {}});
    return false;
  }
  return true;
}

namespace {

bool Overcommitted(const Cluster& cluster, NodeId id) {
  const Node& node = cluster.nodes()[id];
  const auto idle = cluster.amounts().idle(id), releasing = cluster.amounts().releasing(id);
  for (size_t i = 0; i < idle.size(); ++i) {
    if (idle[i] + releasing[i] < 0) return true;
  }
  return std::any_of(node.groups.begin(), node.groups.end(), [&](const GpuGroup& group) {
    return group.allocated - group.releasing > node.gpu_memory;
  });
}

bool OverLimit(const Cluster& cluster, QueueId id) {
  for (; id != kNone; id = cluster.queues()[id].parent) {
    const Queue& queue = cluster.queues()[id];
    for (int i = 0; i < 3; ++i) {
      if (queue.limit[i] == kUnlimited) continue;
      if (static_cast<double>(queue.allocated[i]) > queue.limit[i]) return true;
    }
  }
  return false;
}

// Whether the tasks still fit where they were, and in their queue, next to what the statement
// planned.
bool CouldStay(const Cluster& cluster, Statement& statement, std::span<const TaskId> tasks) {
  const auto mark = statement.Mark();
  for (TaskId id : tasks) {
    const Task& task = cluster.tasks()[id];
    statement.Pipeline(id, task.node, task.groups,
                       task.extras ? task.extras->zones : std::vector<ZoneAmount>{}, false);
    if (!Overcommitted(cluster, task.node) && !OverLimit(cluster, cluster.jobs()[task.job].queue)) {
      continue;
    }
    statement.Rollback(mark);
    return false;
  }
  return true;
}

// Gangs stay as a whole, pods above a gang's minimum one by one.
void CountVictims(ActionContext& context, Statement& statement) {
  ActionCounters& counters = context.session.counters();
  const auto mark = statement.Mark();
  for (const auto& [job, tasks] : statement.Victims()) {
    counters.victims += static_cast<int64_t>(tasks.size());
    if (CouldStay(context.session.cluster, statement, tasks)) {
      counters.victims_beyond_need += static_cast<int64_t>(tasks.size());
    } else if (Gang(context.session.cluster, job).SetSatisfied(0)) {
      for (TaskId task : tasks) {
        counters.victims_beyond_need += CouldStay(context.session.cluster, statement, {&task, 1});
      }
    }
  }
  statement.Rollback(mark);
}

}  // namespace

bool SearchAndCommit(ActionContext& context, SearchBudget& budget, const SearchSpec& spec,
                     bool& placed) {
  Session& session = context.session;
  Statement statement(session);
  Solver solver(context, budget, spec.problem);
  const SearchResult result = solver.Solve(statement);
  ++session.counters().search_results[std::string(ToString(result))];
  if (budget.reduced()) {
    ++session.counters().reduced_search_results[std::string(ToString(result))];
  }
  placed = result == SearchResult::kSolved;
  if (placed) {
    statement.CountVictimsOnce();
    CountVictims(context, statement);
    statement.Commit(spec.text, spec.problem.job);
    ++session.counters().groups_scheduled;
  } else {
    statement.Discard();
  }
  const bool over = result == SearchResult::kDeadline || result == SearchResult::kNotAttempted;
  const bool spent = over && budget.ActionExhausted();
  session.counters().budget_exhausted |= spent;
  const Compatibility& compatibility = session.config.compatibility;
  if (over && !compatibility.Keeps(Quirk::kSilentDeadlines)) {
    session.job(spec.problem.job).errors.Add(SearchUnresolvedError());
  }
  // Upstream ends the action with the first job that exceeds its own time.
  return !(compatibility.Keeps(Quirk::kDeadlines) ? over : spent);
}

}  // namespace coppice::engine
