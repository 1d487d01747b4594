#include "engine/solver.h"

#include <algorithm>

#include "engine/job_order.h"
#include "engine/probing.h"
#include "engine/status.h"

namespace coppice::engine {
namespace {

constexpr TaskId kSection = -2;  // Separates the parts of a fingerprint.

// Whether the GPUs that a scenario frees can hold the probe's tasks at all, for tasks that all
// want the same number: most scenarios fail for this reason, and counting is cheaper than trying.
class GpuBound {
 public:
  GpuBound(const Cluster& cluster, const Probe& probe) : cluster_(cluster) {
    for (TaskId task : probe.pending) {
      const int64_t quota = cluster.RequestedQuota(cluster.tasks[task]);
      if (need_ != 0 && quota != each_) each_ = 0;
      if (need_ == 0) each_ = quota;
      ++need_;
    }
    if (each_ <= 0) return;
    free_.assign(cluster.nodes.size(), 0);
    for (NodeId node : cluster.node_order) {
      free_[node] = cluster.IdleGpuSum(node) + cluster.ReleasingGpuSum(node);
    }
    for (TaskId task : probe.recorded) Free(task, free_);
    for (NodeId node : cluster.node_order) slots_ += std::max<int64_t>(free_[node], 0) / each_;
  }

  bool Allows(const Scenario& scenario) const {
    if (each_ <= 0 || slots_ >= need_) return true;
    std::map<NodeId, int64_t> freed;
    for (const auto& batch : scenario.potential) {
      for (TaskId id : batch.tasks) {
        const Task& task = cluster_.tasks[id];
        if (task.node != kNone) freed[task.node] += cluster_.AcceptedQuota(task, task.node);
      }
    }
    int64_t slots = slots_;
    for (const auto& [node, amount] : freed) {
      slots += std::max<int64_t>(free_[node] + amount, 0) / each_ -
               std::max<int64_t>(free_[node], 0) / each_;
    }
    return slots >= need_;
  }

 private:
  void Free(TaskId id, std::vector<int64_t>& free) const {
    const Task& task = cluster_.tasks[id];
    if (task.node != kNone) free[task.node] += cluster_.AcceptedQuota(task, task.node);
  }

  const Cluster& cluster_;
  int64_t each_ = 0;
  int64_t need_ = 0;
  int64_t slots_ = 0;
  std::vector<int64_t> free_;
};

const char* NameOf(Plugins::Generator generator) {
  return generator == Plugins::Generator::kNodeLocalGreedy ? "NodeLocalGreedy" : "MultiNodeGang";
}

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
}

NodeSet Solver::FeasibleNodes() const {
  for (TaskId task : Gang(cluster_, problem_.job).AllTasks()) {
    if (cluster_.ClassOf(task).cpu_only) return cluster_.node_order;
  }
  NodeSet nodes;
  for (NodeId node : cluster_.node_order) {
    if (cluster_.IdleGpuSum(node) > 0 || cluster_.ReleasingGpuSum(node) > 0) nodes.push_back(node);
  }
  return nodes;
}

NodeSet Solver::WithNodesOf(const NodeSet& nodes, const std::vector<TaskId>& tasks) const {
  NodeSet all = nodes;
  for (TaskId task : tasks) {
    if (cluster_.tasks[task].node != kNone) all.push_back(cluster_.tasks[task].node);
  }
  std::sort(all.begin(), all.end(),
            [&](NodeId a, NodeId b) { return cluster_.nodes[a].rank < cluster_.nodes[b].rank; });
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

int Solver::UsedTasks() const {
  int used = 0;
  for (const auto& pod_set : cluster_.jobs[problem_.job].pod_sets) used += pod_set.counts.Used();
  return used;
}

SearchResult Solver::Solve(Statement& statement) {
  if (tasks_.empty() || !budget_.BeginJob()) return SearchResult::kNotAttempted;
  if (session_.plugins.generators.empty()) return SearchResult::kNoGenerator;
  const size_t all = tasks_.size();
  const int used_before = UsedTasks();
  for (const auto generator : session_.plugins.generators) {
    std::vector<TaskId> recorded;
    budget_.BeginGenerator(NameOf(generator));
    std::optional<SearchResult> stop;
    const size_t best = LargestSolvable(all, [&](size_t count) {
      if (stop) return false;
      Outcome outcome = Try(statement, count, generator, recorded);
      statement.Discard();
      if (outcome.solved) recorded = std::move(outcome.victims);
      stop = outcome.stop;
      return outcome.solved;
    });
    if (stop) return *stop;
    if (best == 0) continue;
    const Outcome final = Try(statement, all, generator, recorded);
    if (final.stop) return *final.stop;
    if (!final.solved) continue;
    if (Gang(cluster_, problem_.job).GangSatisfied() && UsedTasks() > used_before) {
      return SearchResult::kSolved;
    }
    statement.Discard();
    return SearchResult::kGeneratorsExhausted;
  }
  return SearchResult::kGeneratorsExhausted;
}

Probe Solver::MakeProbe(size_t count, const std::vector<TaskId>& recorded) const {
  const std::vector<TaskId> pending(tasks_.begin(),
                                    tasks_.begin() + static_cast<std::ptrdiff_t>(count));
  return {PartOf(cluster_, problem_.job, pending), pending, WithNodesOf(feasible_, recorded),
          recorded};
}

Solver::Outcome Solver::Try(Statement& statement, size_t count, Plugins::Generator kind,
                            const std::vector<TaskId>& recorded) {
  const Probe probe = MakeProbe(count, recorded);
  VictimAccumulator accumulator(session_, context_.predicates, probe, problem_.victims());
  auto generator = kind == Plugins::Generator::kNodeLocalGreedy
                       ? MakeNodeLocalGreedy(session_, probe, std::move(accumulator))
                       : MakeMultiNodeGang(session_, probe, std::move(accumulator));
  ActionCounters& counters = session_.counters();
  const GpuBound bound(cluster_, probe);
  while (true) {
    if (budget_.JobExhausted()) return {false, SearchResult::kDeadline, {}};
    if (budget_.GeneratorExhausted()) return {};
    const auto scenario = generator->Next();
    if (!scenario) return {};
    ++counters.scenarios_emitted;
    if (!bound.Allows(*scenario)) continue;
    Fingerprint fingerprint = probe.pending;
    std::sort(fingerprint.begin(), fingerprint.end());
    const auto append = [&](std::vector<TaskId> part) {
      std::sort(part.begin(), part.end());
      fingerprint.push_back(kSection);
      fingerprint.insert(fingerprint.end(), part.begin(), part.end());
    };
    append({scenario->recorded.begin(), scenario->recorded.end()});
    append(Scenario{{}, scenario->potential}.Victims());
    if (failed_.contains(fingerprint)) {
      ++counters.scenarios_duplicate;
      continue;
    }
    ++counters.scenarios_simulated;
    if (auto victims = Simulate(statement, probe, *scenario)) return {true, {}, *victims};
    statement.Discard();
    failed_.insert(std::move(fingerprint));
  }
}

std::optional<std::vector<TaskId>> Solver::Simulate(Statement& statement, const Probe& probe,
                                                    const Scenario& scenario) {
  const std::vector<TaskId> victims = scenario.Victims();
  if (victims.empty()) return std::nullopt;
  const NodeSet nodes = WithNodesOf(probe.feasible, victims);
  const std::vector<JobId> whole = WholeGangs(victims);
  for (TaskId task : victims) statement.Evict(task);
  if (!PlaceInOrder(statement, probe, nodes, victims)) return std::nullopt;
  if (LeavesParts(whole) || !problem_.allowed(probe, victims)) {
    ++session_.counters().scenarios_rejected;
    return std::nullopt;
  }
  // What a solution has used stays in reach of later probes.
  feasible_ = nodes;
  // Victims that came back to where they were are none, except that consolidation, where all come
  // back somewhere, goes on from the whole scenario.
  const bool consolidating = session_.action == "consolidation";
  std::vector<TaskId> gone;
  for (TaskId task : victims) {
    const TaskStatus status = cluster_.tasks[task].status;
    if (consolidating || status == TaskStatus::kReleasing || status == TaskStatus::kPipelined) {
      gone.push_back(task);
    }
  }
  return gone;
}

std::vector<JobId> Solver::WholeGangs(const std::vector<TaskId>& victims) const {
  std::set<JobId> jobs;
  for (TaskId task : victims) jobs.insert(cluster_.tasks[task].job);
  std::erase_if(jobs, [&](JobId id) { return !Gang(cluster_, id).SetSatisfied(0); });
  return {jobs.begin(), jobs.end()};
}

// Whether a gang that ran as a whole would run in part: victims of an earlier probe that came back
// to their places are none any more, although the rest of their gang has gone.
bool Solver::LeavesParts(const std::vector<JobId>& whole) const {
  return std::any_of(whole.begin(), whole.end(), [&](JobId id) {
    const Gang gang(cluster_, id);
    return gang.HasActive() && !gang.SetSatisfied(0);
  });
}

// The job and its victims compete for what the eviction has freed, in the order of their queues.
bool Solver::PlaceInOrder(Statement& statement, const Probe& probe, const NodeSet& nodes,
                          const std::vector<TaskId>& victims) {
  std::set<JobId> victim_jobs;
  for (TaskId task : victims) victim_jobs.insert(cluster_.tasks[task].job);
  JobOrder order(session_, {});
  std::vector<char> others(cluster_.jobs.size(), 1);
  for (JobId id : victim_jobs) others[id] = 0;
  others[problem_.job] = 0;
  order.Use(context_.lists.pending(), std::move(others));
  for (JobId id : victim_jobs) {
    Gang gang(cluster_, id);
    if (order.Admits(gang)) order.Push(std::move(gang));
  }
  if (order.Admits(probe.gang)) order.Push(probe.gang);
  std::vector<int> relevant(cluster_.queues.size());
  ++relevant[cluster_.jobs[problem_.job].queue];
  for (JobId id : victim_jobs) ++relevant[cluster_.jobs[id].queue];
  for (QueueId queue = 0; queue < static_cast<QueueId>(relevant.size()); ++queue) {
    if (relevant[queue] == 0) order.Retire(queue);
  }
  context_.allocator.NewNodeSet();
  size_t left = victim_jobs.size() + 1;
  while (!order.empty() && left > 0) {
    const Gang gang = order.Pop();
    const bool matters = gang.id() == problem_.job || victim_jobs.contains(gang.id());
    if (!matters) continue;
    if (--relevant[gang.job().queue] == 0) order.Retire(gang.job().queue);
    if (gang.id() == problem_.job) {
      --left;
      if (!context_.allocator.AllocateJob(statement, gang, nodes, false, nullptr)) return false;
    } else {
      --left;
      const auto mark = statement.Mark();
      if (!context_.allocator.AllocateJob(statement, gang, nodes, false,
                                          &session_.job(gang.id()).errors)) {
        statement.Rollback(mark);
      }
    }
  }
  return true;
}

}  // namespace coppice::engine
