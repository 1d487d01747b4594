#include "engine/actions/search/multi_node_gang.h"

#include <algorithm>
#include <deque>
#include <limits>

namespace coppice::engine {
namespace {

// Tries growing sets of nodes, the fullest usable ones first.
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
      const double quota = InDevices(cluster_.RequestedQuota(cluster_.tasks()[task]));
      demand_ += quota;
      smallest_ = std::min(smallest_, quota);
    }
    free_.assign(cluster_.nodes().size(), 0);
    for (NodeId node : cluster_.node_order()) free_[node] = cluster_.nodes().FreeGpus(node);
    for (TaskId id : probe.recorded.tasks) {
      const Task& task = cluster_.tasks()[id];
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

  // Computes how many of the nodes with victims, in order, the next scenarios use.
  void Fill() {
    const auto& batches = accumulator_.potential();
    order_.clear();
    if (batches.empty()) return counts_.push_back(0);
    std::vector<double> capacity = free_;
    std::vector<char> has_batch(cluster_.nodes().size());
    for (const auto& batch : batches) {
      for (TaskId id : batch.tasks) {
        const Task& task = cluster_.tasks()[id];
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
    std::vector<char> chosen(cluster_.nodes().size());
    for (size_t i = 0; i < count; ++i) chosen[order_[i]] = 1;
    VictimGroups victims;
    for (const auto& batch : accumulator_.potential()) {
      const bool touches = std::any_of(batch.tasks.begin(), batch.tasks.end(), [&](TaskId task) {
        const NodeId node = cluster_.tasks()[task].node;
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

const ScenarioSource kMultiNodeGang{
    "sg-multinodegang", "MultiNodeGang", false,
    [](Session& session, const Probe& probe, const GpuBound& bound,
       VictimAccumulator accumulator) -> std::unique_ptr<ScenarioGenerator> {
      return std::make_unique<MultiNodeGang>(session, probe, bound, std::move(accumulator));
    }};

}  // namespace coppice::engine
