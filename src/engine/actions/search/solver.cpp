#include "engine/actions/search/solver.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include "engine/actions/search/probing.h"
#include "engine/order/job_order.h"
#include "engine/state/jobs/status.h"

namespace coppice::engine {
namespace {

constexpr TaskId kSection = -2;  // Separates the parts of a fingerprint.

}  // namespace

std::string_view ToString(SearchResult result) {
  switch (result) {
    case SearchResult::kSolved:
      return "solved";
    case SearchResult::kDeadline:
      return "deadline_exhausted";
    case SearchResult::kGeneratorsExhausted:
      return "generators_exhausted";
    case SearchResult::kNoGenerator:
      return "no_generator";
    case SearchResult::kNotAttempted:
      return "not_attempted";
  }
  return "";
}

Solver::Solver(ActionContext& context, SearchBudget& budget, Problem problem)
    : context_(context),
      session_(context.session),
      cluster_(context.session.cluster),
      budget_(budget),
      problem_(std::move(problem)) {
  context.lists.Refresh(session_);
  tasks_ = Gang(cluster_, problem_.job).TasksToAllocate(false);
  feasible_ = FeasibleNodes();
  auto may_go = std::make_shared<std::vector<char>>(cluster_.jobs().size());
  for (JobId id : problem_.candidates) (*may_go)[id] = 1;
  may_go_ = std::move(may_go);
}

NodeSet Solver::FeasibleNodes() const {
  for (TaskId task : Gang(cluster_, problem_.job).AllTasks()) {
    if (cluster_.ClassOf(task).cpu_only) return cluster_.node_order();
  }
  NodeSet nodes;
  for (NodeId node : cluster_.node_order()) {
    if (cluster_.nodes().IdleGpuSum(node) > 0 || cluster_.nodes().ReleasingGpuSum(node) > 0)
      nodes.push_back(node);
  }
  return nodes;
}

// `nodes` and the result are sorted by rank.
NodeSet Solver::WithNodesOf(const NodeSet& nodes, const std::vector<TaskId>& tasks) const {
  const auto by_rank = [&](NodeId a, NodeId b) {
    return cluster_.nodes()[a].rank < cluster_.nodes()[b].rank;
  };
  NodeSet more;
  for (TaskId task : tasks) {
    const NodeId node = cluster_.tasks()[task].node;
    if (node == kNone || !cluster_.nodes()[node].exists) continue;
    const auto at = std::lower_bound(nodes.begin(), nodes.end(), node, by_rank);
    if (at == nodes.end() || *at != node) more.push_back(node);
  }
  if (more.empty()) return nodes;
  std::sort(more.begin(), more.end(), by_rank);
  more.erase(std::unique(more.begin(), more.end()), more.end());
  NodeSet all;
  all.reserve(nodes.size() + more.size());
  std::merge(nodes.begin(), nodes.end(), more.begin(), more.end(), std::back_inserter(all),
             by_rank);
  return all;
}

int Solver::UsedTasks() const {
  int used = 0;
  for (const auto& pod_set : cluster_.jobs()[problem_.job].pod_sets) used += pod_set.counts.Used();
  return used;
}

SearchResult Solver::Solve(Statement& statement) {
  if (tasks_.empty() || !budget_.BeginJob()) return SearchResult::kNotAttempted;
  if (session_.plugins.scenario_sources.empty()) return SearchResult::kNoGenerator;
  const size_t all = tasks_.size();
  const int used_before = UsedTasks();
  for (const ScenarioSource* source : session_.plugins.scenario_sources) {
    Lesson learnt;
    bool settled = false;
    budget_.BeginGenerator(source->name);
    std::optional<SearchResult> stop;
    const size_t best = LargestSolvable(all, [&](size_t count) {
      if (stop) return false;
      Outcome outcome = Try(statement, count, *source, learnt);
      settled = outcome.solved && count == all && outcome.repeatable;
      if (!settled) statement.Discard();
      if (outcome.solved) learnt = std::move(outcome.lesson);
      stop = outcome.stop;
      return outcome.solved;
    });
    if (stop) return *stop;
    if (best == 0) continue;
    if (settled) {
      RepeatErrors();
    } else {
      const Outcome final = Try(statement, all, *source, learnt);
      if (final.stop) return *final.stop;
      if (!final.solved) continue;
    }
    if (Gang(cluster_, problem_.job).GangSatisfied() && UsedTasks() > used_before) {
      return SearchResult::kSolved;
    }
    statement.Discard();
    return SearchResult::kGeneratorsExhausted;
  }
  return SearchResult::kGeneratorsExhausted;
}

Probe Solver::MakeProbe(size_t count, const Lesson& learnt) const {
  const std::vector<TaskId> pending(tasks_.begin(),
                                    tasks_.begin() + static_cast<std::ptrdiff_t>(count));
  return {PartOf(cluster_, problem_.job, pending), pending, WithNodesOf(feasible_, learnt.left),
          learnt.victims};
}

Solver::Outcome Solver::Try(Statement& statement, size_t count, const ScenarioSource& source,
                            const Lesson& learnt) {
  const Probe probe = MakeProbe(count, learnt);
  const GpuBound bound(cluster_, probe.pending, probe.recorded.tasks);
  if (source.one_node && bound.OneNodeIsTooFew(problem_.candidates)) return {};
  const ScenarioFilter filter(session_, probe);
  VictimAccumulator accumulator(session_, filter, probe, Victims());
  auto generator = source.make(session_, probe, bound, std::move(accumulator));
  ScenarioCounters& counters = session_.counters().generators[source.name];
  std::optional<Scenario> scenario;
  while (true) {
    if (budget_.JobExhausted()) return {false, false, SearchResult::kDeadline, {}};
    if (budget_.GeneratorExhausted() || !generator->Next(scenario)) return {};
    ++counters.emitted;
    if (!scenario) continue;
    const base::Instant begun = session_.stopwatch ? session_.stopwatch() : base::Instant{};
    const auto ended = [&](std::string_view how) {
      if (session_.stopwatch) counters.durations.emplace_back(how, session_.stopwatch() - begun);
    };
    if (!failed_.empty() && failed_.contains(FingerprintOf(probe, *scenario))) {
      ++counters.duplicate;
      ended("duplicate");
      continue;
    }
    ++counters.simulated;
    const int64_t rejected = counters.rejected;
    const bool last = count == tasks_.size() && WouldRepeat(probe, *scenario, filter);
    Outcome outcome = Simulate(statement, probe, *scenario, counters.rejected);
    outcome.repeatable = last && outcome.lesson.left.size() ==
                                     probe.recorded.tasks.size() + scenario->more.tasks.size();
    ended(outcome.solved                 ? "solved"
          : counters.rejected > rejected ? "validator_rejected"
                                         : "unsolved");
    if (outcome.solved) return outcome;
    statement.Discard();
    failed_.insert(FingerprintOf(probe, *scenario));
  }
}

std::unique_ptr<JobOrder> Solver::Victims() const {
  JobOrder::Options options;
  options.victims = true;
  auto order = std::make_unique<JobOrder>(session_, options);
  order->Use(context_.lists.active(), may_go_);
  return order;
}

// Whether a probe for the same tasks with these recorded victims would try exactly this scenario
// first, and so find the same result, provided that all of the victims stay evicted.
bool Solver::WouldRepeat(const Probe& probe, const Scenario& scenario,
                         ScenarioFilter filter) const {
  const VictimGroups victims{scenario.Victims(), {}};
  std::vector<TaskId> sorted = victims.tasks;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) return false;
  if (failed_.contains(FingerprintOf(probe, {victims, {}}))) return false;
  if (filter.CountsParts()) {
    const Probe again{probe.gang, probe.pending, WithNodesOf(probe.feasible, sorted), victims};
    return ScenarioFilter(session_, again).Passes();
  }
  filter.AddVictims(scenario.more.tasks);
  return filter.Passes();
}

Solver::Fingerprint Solver::FingerprintOf(const Probe& probe, const Scenario& scenario) {
  Fingerprint fingerprint;
  const auto append = [&](std::span<const TaskId> part) {
    const auto start = static_cast<std::ptrdiff_t>(fingerprint.size());
    fingerprint.insert(fingerprint.end(), part.begin(), part.end());
    std::sort(fingerprint.begin() + start, fingerprint.end());
    fingerprint.push_back(kSection);
  };
  append(probe.pending);
  append(scenario.recorded.tasks);
  append(scenario.more.tasks);
  return fingerprint;
}

Solver::Outcome Solver::Simulate(Statement& statement, const Probe& probe, const Scenario& scenario,
                                 int64_t& rejected) {
  const std::vector<TaskId> victims = scenario.Victims();
  if (victims.empty()) return {};
  const NodeSet nodes = WithNodesOf(probe.feasible, victims);
  const std::vector<JobId> jobs = JobsOf(victims);
  const std::vector<JobId> whole = WholeGangs(jobs);
  for (TaskId task : victims) statement.Evict(task);
  if (!PlaceInOrder(statement, probe, nodes, jobs)) return {};
  if (LeavesParts(whole) || !problem_.allowed(probe, victims)) {
    ++rejected;
    return {};
  }
  return {true, false, {}, LessonOf(scenario)};
}

// Groups that returned to their places completely are not victims. In the other groups, tasks that
// returned are evicted again with the rest.
Solver::Lesson Solver::LessonOf(const Scenario& scenario) const {
  Lesson lesson;
  boost::unordered_flat_map<TaskId, int> named;
  for (TaskId task : scenario.Victims()) ++named[task];
  const auto left = [&](TaskId task) {
    const TaskStatus status = cluster_.tasks()[task].status;
    // Upstream reverts only one of two evictions.
    return status == TaskStatus::kReleasing || status == TaskStatus::kPipelined || named[task] > 1;
  };
  boost::unordered_flat_set<TaskId> known;  // A repeated task belongs to its first group.
  const auto add = [&](const VictimGroups& groups) {
    for (size_t i = 0; i < groups.ends.size(); ++i) {
      const size_t before = lesson.left.size();
      for (TaskId task : groups.Group(i)) {
        if (known.insert(task).second && left(task)) lesson.left.push_back(task);
      }
      if (lesson.left.size() > before) lesson.victims.Add(groups.Group(i));
    }
  };
  add(scenario.recorded);
  add(scenario.more);
  return lesson;
}

std::vector<JobId> Solver::JobsOf(const std::vector<TaskId>& tasks) const {
  std::vector<JobId> jobs;
  for (TaskId task : tasks) jobs.push_back(cluster_.tasks()[task].job);
  std::sort(jobs.begin(), jobs.end());
  jobs.erase(std::unique(jobs.begin(), jobs.end()), jobs.end());
  return jobs;
}

std::vector<JobId> Solver::WholeGangs(std::vector<JobId> jobs) const {
  std::erase_if(jobs, [&](JobId id) { return !Gang(cluster_, id).SetSatisfied(0); });
  return jobs;
}

// Repeats the errors that a second simulation would record for jobs without a place.
void Solver::RepeatErrors() {
  for (const auto& [job, from] : noted_) session_.job(job).errors.Repeat(from);
}

// Whether a gang that ran completely would run in part: victims of an earlier probe that returned
// to their places are no longer victims, although the rest of their gang is gone.
bool Solver::LeavesParts(const std::vector<JobId>& whole) const {
  return std::any_of(whole.begin(), whole.end(), [&](JobId id) {
    const Gang gang(cluster_, id);
    return gang.HasActive() && !gang.SetSatisfied(0);
  });
}

// The job and its victims compete for the freed capacity, in queue order.
bool Solver::PlaceInOrder(Statement& statement, const Probe& probe, const NodeSet& nodes,
                          const std::vector<JobId>& victim_jobs) {
  noted_.clear();
  JobOrder order(session_, {});
  auto others = std::make_shared<std::vector<char>>(cluster_.jobs().size(), 1);
  for (JobId id : victim_jobs) (*others)[id] = 0;
  (*others)[problem_.job] = 0;
  order.Use(context_.lists.pending(), others);
  for (JobId id : victim_jobs) {
    Gang gang(cluster_, id);
    if (order.Admits(gang)) order.Push(std::move(gang));
  }
  if (order.Admits(probe.gang)) order.Push(probe.gang);
  std::vector<int> relevant(cluster_.queues().size());
  ++relevant[cluster_.jobs()[problem_.job].queue];
  for (JobId id : victim_jobs) ++relevant[cluster_.jobs()[id].queue];
  for (QueueId queue = 0; queue < static_cast<QueueId>(relevant.size()); ++queue) {
    if (relevant[queue] == 0) order.Retire(queue);
  }
  context_.allocator.node_queues().BeginSetLike(nodes);
  size_t left = victim_jobs.size() + 1;
  while (!order.empty() && left > 0) {
    const Gang gang = order.Pop();
    if ((*others)[gang.id()]) continue;
    if (--relevant[gang.job().queue] == 0) order.Retire(gang.job().queue);
    if (gang.id() == problem_.job) {
      --left;
      if (!context_.allocator.AllocateJob(statement, gang, nodes, false, nullptr)) return false;
    } else {
      --left;
      const auto mark = statement.Mark();
      JobErrors* errors = nullptr;
      if (session_.config.compatibility.Keeps(Quirk::kSimulatedErrors)) {
        errors = &session_.job(gang.id()).errors;
        noted_.emplace_back(gang.id(), errors->size());
      }
      if (!context_.allocator.AllocateJob(statement, gang, nodes, false, errors)) {
        statement.Rollback(mark);
      }
    }
  }
  return true;
}

}  // namespace coppice::engine
