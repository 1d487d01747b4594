#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "engine/scenario.h"

// The two ways of turning accumulated victims into scenarios (spec 4.5).

namespace coppice::engine {
namespace {

// Looks at one node at a time: all victims so far of the jobs that have some there.
class NodeLocalGreedy final : public ScenarioGenerator {
 public:
  NodeLocalGreedy(Session& session, const Probe& probe, VictimAccumulator accumulator)
      : cluster_(session.cluster),
        probe_(probe),
        accumulator_(std::move(accumulator)),
        recorded_(probe.recorded.begin(), probe.recorded.end()) {
    for (size_t i = 0; i < probe.recorded.size(); ++i) {
      recorded_of_[cluster_.tasks[probe.recorded[i]].job].push_back(i);
    }
  }

  std::optional<Scenario> Next() override {
    while (ready_.empty()) {
      if (!accumulator_.Next()) return std::nullopt;
      Fill();
    }
    Scenario scenario = std::move(ready_.front());
    ready_.pop_front();
    return scenario;
  }

 private:
  void Fill() {
    const auto& potential = accumulator_.potential();
    if (potential.empty()) {
      if (!probe_.recorded.empty()) ready_.push_back({probe_.recorded, {}});
      return;
    }
    for (NodeId node : NodesOf(potential.back().job)) {
      Scenario scenario = OnNode(node);
      if (!scenario.potential.empty() && seen_.insert(NewVictims(scenario)).second) {
        ready_.push_back(std::move(scenario));
      }
    }
  }

  // What tells scenarios of one probe apart.
  std::vector<TaskId> NewVictims(const Scenario& scenario) const {
    std::vector<TaskId> tasks;
    for (const auto& batch : scenario.potential) {
      for (TaskId task : batch.tasks) {
        if (!recorded_.contains(task)) tasks.push_back(task);
      }
    }
    std::sort(tasks.begin(), tasks.end());
    return tasks;
  }

  NodeSet NodesOf(JobId job) const {
    NodeSet nodes;
    for (TaskId task : Gang(cluster_, job).AllTasks()) {
      if (cluster_.tasks[task].node != kNone) nodes.push_back(cluster_.tasks[task].node);
    }
    std::sort(nodes.begin(), nodes.end(),
              [&](NodeId a, NodeId b) { return cluster_.nodes[a].rank < cluster_.nodes[b].rank; });
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    return nodes;
  }

  // Notes where the batches that are new since the last look have tasks.
  void Index() {
    const auto& potential = accumulator_.potential();
    for (; indexed_ < potential.size(); ++indexed_) {
      const VictimBatch& batch = potential[indexed_];
      batches_of_[batch.job].push_back(indexed_);
      for (TaskId task : batch.tasks) {
        auto& jobs = jobs_on_[cluster_.tasks[task].node];
        if (std::find(jobs.begin(), jobs.end(), batch.job) == jobs.end()) jobs.push_back(batch.job);
      }
    }
  }

  Scenario OnNode(NodeId node) {
    Index();
    std::vector<size_t> batches;
    std::set<JobId> jobs(jobs_on_[node].begin(), jobs_on_[node].end());
    for (JobId job : jobs) {
      batches.insert(batches.end(), batches_of_[job].begin(), batches_of_[job].end());
    }
    std::sort(batches.begin(), batches.end());
    Scenario scenario{probe_.recorded, {}};
    for (size_t batch : batches) scenario.potential.push_back(accumulator_.potential()[batch]);
    // Recorded tasks of these jobs are named a second time, as upstream.
    std::vector<size_t> again;
    for (JobId job : jobs) {
      const auto found = recorded_of_.find(job);
      if (found == recorded_of_.end()) continue;
      again.insert(again.end(), found->second.begin(), found->second.end());
    }
    std::sort(again.begin(), again.end());
    for (size_t i : again) {
      const TaskId task = probe_.recorded[i];
      scenario.potential.push_back({cluster_.tasks[task].job, {task}});
    }
    return scenario;
  }

  size_t indexed_ = 0;
  std::map<JobId, std::vector<size_t>> batches_of_;
  std::map<NodeId, std::vector<JobId>> jobs_on_;
  const Cluster& cluster_;
  const Probe& probe_;
  VictimAccumulator accumulator_;
  const std::unordered_set<TaskId> recorded_;
  std::unordered_map<JobId, std::vector<size_t>> recorded_of_;  // Positions in the probe's list.
  std::deque<Scenario> ready_;
  std::set<std::vector<TaskId>> seen_;
};

// Looks at growing sets of nodes, the fullest usable ones first.
class MultiNodeGang final : public ScenarioGenerator {
 public:
  MultiNodeGang(Session& session, const Probe& probe, VictimAccumulator accumulator)
      : cluster_(session.cluster), probe_(probe), accumulator_(std::move(accumulator)) {
    smallest_ = std::numeric_limits<int64_t>::max();
    for (TaskId task : probe.pending) {
      const int64_t quota = cluster_.RequestedQuota(cluster_.tasks[task]);
      demand_ += quota;
      smallest_ = std::min(smallest_, quota);
    }
    free_.assign(cluster_.nodes.size(), 0);
    for (NodeId node : cluster_.node_order) {
      free_[node] = cluster_.IdleGpuSum(node) + cluster_.ReleasingGpuSum(node);
    }
    for (TaskId id : probe.recorded) {
      const Task& task = cluster_.tasks[id];
      if (task.node != kNone) free_[task.node] += cluster_.AcceptedQuota(task, task.node);
    }
  }

  std::optional<Scenario> Next() override {
    while (ready_.empty()) {
      if (!accumulator_.Next()) return std::nullopt;
      Fill();
    }
    Scenario scenario = std::move(ready_.front());
    ready_.pop_front();
    return scenario;
  }

 private:
  void Fill() {
    const auto& batches = accumulator_.potential();
    if (batches.empty()) {
      ready_.push_back({probe_.recorded, {}});
      return;
    }
    std::vector<NodeId> order;  // Of first appearance.
    std::vector<int64_t> capacity = free_;
    std::vector<char> has_batch(cluster_.nodes.size());
    for (const auto& batch : batches) {
      for (TaskId id : batch.tasks) {
        const Task& task = cluster_.tasks[id];
        if (task.node == kNone) continue;
        if (!has_batch[task.node]) order.push_back(task.node);
        has_batch[task.node] = 1;
        capacity[task.node] += cluster_.AcceptedQuota(task, task.node);
      }
    }
    if (smallest_ > 0) {
      std::erase_if(order, [&](NodeId node) { return capacity[node] < smallest_; });
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](NodeId a, NodeId b) { return capacity[a] < capacity[b]; });
    int64_t need = demand_;
    for (NodeId node : probe_.feasible) need -= has_batch[node] ? 0 : free_[node];
    size_t count = 0;
    for (int64_t sum = 0; sum < need; ++count) {
      if (count == order.size()) return;
      sum += capacity[order[count]];
    }
    size_t step = 1;
    while (true) {
      ready_.push_back(Touching(order, count));
      if (count == order.size()) break;
      count = std::min(count + step, order.size());
      step *= 2;
    }
  }

  Scenario Touching(const std::vector<NodeId>& order, size_t count) const {
    std::set<NodeId> nodes(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count));
    Scenario scenario{probe_.recorded, {}};
    for (const auto& batch : accumulator_.potential()) {
      const bool touches = std::any_of(batch.tasks.begin(), batch.tasks.end(), [&](TaskId task) {
        return nodes.contains(cluster_.tasks[task].node);
      });
      if (touches) scenario.potential.push_back(batch);
    }
    return scenario;
  }

  const Cluster& cluster_;
  const Probe& probe_;
  VictimAccumulator accumulator_;
  std::deque<Scenario> ready_;
  std::vector<int64_t> free_;
  int64_t demand_ = 0;
  int64_t smallest_ = 0;
};

}  // namespace

std::unique_ptr<ScenarioGenerator> MakeNodeLocalGreedy(Session& session, const Probe& probe,
                                                       VictimAccumulator accumulator) {
  return std::make_unique<NodeLocalGreedy>(session, probe, std::move(accumulator));
}

std::unique_ptr<ScenarioGenerator> MakeMultiNodeGang(Session& session, const Probe& probe,
                                                     VictimAccumulator accumulator) {
  return std::make_unique<MultiNodeGang>(session, probe, std::move(accumulator));
}

}  // namespace coppice::engine
