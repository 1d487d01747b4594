#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <deque>
#include <limits>

#include "engine/actions/scenario.h"

// The two ways of turning accumulated victims into scenarios (docs/behaviour/engine.md S-51 and
// S-52).

namespace coppice::engine {
namespace {

// Naming the known victims of a job again doubles them with every part of the waiting job that is
// solved. Where they are so many, their names alone would take all time and memory.
constexpr size_t kMostNamedAgain = 1000;

// Looks at one node at a time: all victims so far of the jobs that have some there.
class NodeLocalGreedy final : public ScenarioGenerator {
 public:
  NodeLocalGreedy(Session& session, const Probe& probe, const GpuBound& bound,
                  VictimAccumulator accumulator)
      : cluster_(session.cluster),
        probe_(probe),
        bound_(bound),
        accumulator_(std::move(accumulator)),
        repeats_(session.config.compatibility.Keeps(Quirk::kVictimsNamedTwice)) {
    for (TaskId task : probe.recorded.tasks) recorded_of_[cluster_.tasks[task].job].push_back(task);
  }

  bool Next(std::optional<Scenario>& scenario) override {
    while (ready_.empty()) {
      if (!accumulator_.Next()) return false;
      Fill();
    }
    FindVictimsOn(ready_.front());
    ready_.pop_front();
    scenario.reset();
    if (bound_.Allows(victims_.tasks)) scenario.emplace(probe_.recorded, victims_);
    return true;
  }

 private:
  void Fill() {
    const auto& potential = accumulator_.potential();
    if (potential.empty()) {
      if (!probe_.recorded.tasks.empty()) ready_.push_back(kNone);
      return;
    }
    Index();
    for (NodeId node : NodesOf(potential.back().job)) {
      std::vector<size_t> batches = BatchesOn(node);
      if (!batches.empty() && seen_.insert(std::move(batches)).second) ready_.push_back(node);
    }
  }

  NodeSet NodesOf(JobId job) const {
    NodeSet nodes;
    for (const auto& pod_set : cluster_.jobs[job].pod_sets) {
      for (TaskId task : pod_set.tasks) {
        if (cluster_.tasks[task].node != kNone) nodes.push_back(cluster_.tasks[task].node);
      }
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

  // All batches of the jobs that have some on the node, in order. No task is in two of them and
  // none is recorded, so that they tell the scenarios of a probe apart.
  std::vector<size_t> BatchesOn(NodeId node) {
    std::vector<size_t> batches;
    for (JobId job : jobs_on_[node]) {
      const auto& own = batches_of_[job];
      batches.insert(batches.end(), own.begin(), own.end());
    }
    std::sort(batches.begin(), batches.end());
    return batches;
  }

  // One group for each job that has victims on the node; kNone: none.
  void FindVictimsOn(NodeId node) {
    victims_.tasks.clear();
    victims_.ends.clear();
    if (node == kNone) return;
    const auto name = [&](const std::vector<TaskId>& tasks) {
      victims_.tasks.insert(victims_.tasks.end(), tasks.begin(), tasks.end());
    };
    for (JobId job : jobs_on_[node]) {
      // Recorded tasks of the job are named a second time, as upstream.
      const auto again = recorded_of_.find(job);
      const bool repeats = repeats_ && again != recorded_of_.end();
      if (repeats && again->second.size() <= kMostNamedAgain) name(again->second);
      for (size_t batch : batches_of_[job]) name(accumulator_.potential()[batch].tasks);
      victims_.ends.push_back(victims_.tasks.size());
    }
  }

  const Cluster& cluster_;
  const Probe& probe_;
  const GpuBound& bound_;
  VictimAccumulator accumulator_;
  const bool repeats_;
  size_t indexed_ = 0;
  boost::unordered_flat_map<JobId, std::vector<size_t>> batches_of_;
  boost::unordered_flat_map<NodeId, std::vector<JobId>> jobs_on_;
  boost::unordered_flat_map<JobId, std::vector<TaskId>> recorded_of_;
  std::deque<NodeId> ready_;
  boost::unordered_flat_set<std::vector<size_t>> seen_;
  VictimGroups victims_;
};

// Looks at growing sets of nodes, the fullest usable ones first.
class MultiNodeGang final : public ScenarioGenerator {
 public:
  MultiNodeGang(Session& session, const Probe& probe, const GpuBound& bound,
                VictimAccumulator accumulator)
      : cluster_(session.cluster),
        probe_(probe),
        bound_(bound),
        accumulator_(std::move(accumulator)) {
    smallest_ = std::numeric_limits<double>::infinity();
    for (TaskId task : probe.pending) {
      const double quota = InDevices(cluster_.RequestedQuota(cluster_.tasks[task]));
      demand_ += quota;
      smallest_ = std::min(smallest_, quota);
    }
    free_.assign(cluster_.nodes.size(), 0);
    for (NodeId node : cluster_.node_order) free_[node] = cluster_.FreeGpus(node);
    for (TaskId id : probe.recorded.tasks) {
      const Task& task = cluster_.tasks[id];
      if (task.node != kNone) free_[task.node] += GivenBack(task);
    }
  }

  bool Next(std::optional<Scenario>& scenario) override {
    while (counts_.empty()) {
      if (!accumulator_.Next()) return false;
      Fill();
    }
    scenario.emplace(probe_.recorded, Touching(counts_.front()));
    counts_.pop_front();
    if (!bound_.Allows(scenario->more.tasks)) scenario.reset();
    return true;
  }

 private:
  double GivenBack(const Task& task) const {
    return InDevices(cluster_.AcceptedQuota(task, task.node));
  }

  // How many of the nodes with victims, in order, the next scenarios look at.
  void Fill() {
    const auto& batches = accumulator_.potential();
    order_.clear();
    if (batches.empty()) return counts_.push_back(0);
    std::vector<double> capacity = free_;
    std::vector<char> has_batch(cluster_.nodes.size());
    for (const auto& batch : batches) {
      for (TaskId id : batch.tasks) {
        const Task& task = cluster_.tasks[id];
        if (task.node == kNone) continue;
        if (!has_batch[task.node]) order_.push_back(task.node);
        has_batch[task.node] = 1;
        capacity[task.node] += GivenBack(task);
      }
    }
    if (smallest_ > 0) {
      std::erase_if(order_, [&](NodeId node) { return capacity[node] < smallest_; });
    }
    std::stable_sort(order_.begin(), order_.end(),
                     [&](NodeId a, NodeId b) { return capacity[a] < capacity[b]; });
    double need = demand_;
    for (NodeId node : probe_.feasible) need -= has_batch[node] ? 0 : free_[node];
    size_t count = 0;
    for (double sum = 0; sum < need; ++count) {
      if (count == order_.size()) return;
      sum += capacity[order_[count]];
    }
    size_t step = 1;
    while (true) {
      counts_.push_back(count);
      if (count == order_.size()) break;
      count = std::min(count + step, order_.size());
      step *= 2;
    }
  }

  VictimGroups Touching(size_t count) const {
    std::vector<char> chosen(cluster_.nodes.size());
    for (size_t i = 0; i < count; ++i) chosen[order_[i]] = 1;
    VictimGroups victims;
    for (const auto& batch : accumulator_.potential()) {
      const bool touches = std::any_of(batch.tasks.begin(), batch.tasks.end(), [&](TaskId task) {
        const NodeId node = cluster_.tasks[task].node;
        return node != kNone && chosen[node];
      });
      if (touches) victims.Add(batch.tasks);
    }
    return victims;
  }

  const Cluster& cluster_;
  const Probe& probe_;
  const GpuBound& bound_;
  VictimAccumulator accumulator_;
  std::vector<NodeId> order_;  // Nodes with victims, the fullest usable ones first.
  std::deque<size_t> counts_;
  // In devices.
  std::vector<double> free_;
  double demand_ = 0;
  double smallest_ = 0;
};

}  // namespace

std::unique_ptr<ScenarioGenerator> MakeNodeLocalGreedy(Session& session, const Probe& probe,
                                                       const GpuBound& bound,
                                                       VictimAccumulator accumulator) {
  return std::make_unique<NodeLocalGreedy>(session, probe, bound, std::move(accumulator));
}

std::unique_ptr<ScenarioGenerator> MakeMultiNodeGang(Session& session, const Probe& probe,
                                                     const GpuBound& bound,
                                                     VictimAccumulator accumulator) {
  return std::make_unique<MultiNodeGang>(session, probe, bound, std::move(accumulator));
}

}  // namespace coppice::engine
