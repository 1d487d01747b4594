#include "engine/actions/search/node_local_greedy.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <deque>

namespace coppice::engine {
namespace {

// Repeating a job's recorded victims doubles them with every solved part of the waiting job. Above
// this number the repetition would exhaust time and memory.
constexpr size_t kMostNamedAgain = 1000;

// Tries one node at a time: all victims so far of the jobs that have some there.
class NodeLocalGreedy final : public ScenarioGenerator {
 public:
  NodeLocalGreedy(Session& session, const Probe& probe, const GpuBound& bound,
                  VictimAccumulator accumulator)
      : cluster_(session.cluster),
        probe_(probe),
        bound_(bound),
        accumulator_(std::move(accumulator)),
        repeats_(session.config.compatibility.Keeps(Quirk::kVictimsNamedTwice)) {
    for (TaskId task : probe.recorded.tasks)
      recorded_of_[cluster_.tasks()[task].job].push_back(task);
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
    for (const auto& pod_set : cluster_.jobs()[job].pod_sets) {
      for (TaskId task : pod_set.tasks) {
        if (cluster_.tasks()[task].node != kNone) nodes.push_back(cluster_.tasks()[task].node);
      }
    }
    std::sort(nodes.begin(), nodes.end(), [&](NodeId a, NodeId b) {
      return cluster_.nodes()[a].rank < cluster_.nodes()[b].rank;
    });
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    return nodes;
  }

  // Records on which nodes the batches added since the last call have tasks.
  void Index() {
    const auto& potential = accumulator_.potential();
    for (; indexed_ < potential.size(); ++indexed_) {
      const VictimBatch& batch = potential[indexed_];
      batches_of_[batch.job].push_back(indexed_);
      for (TaskId task : batch.tasks) {
        auto& jobs = jobs_on_[cluster_.tasks()[task].node];
        if (std::find(jobs.begin(), jobs.end(), batch.job) == jobs.end()) jobs.push_back(batch.job);
      }
    }
  }

  // All batches of the jobs that have some on the node, in order. No task is in two batches and
  // none is recorded, so the batches identify a scenario within a probe.
  std::vector<size_t> BatchesOn(NodeId node) {
    std::vector<size_t> batches;
    for (JobId job : jobs_on_[node]) {
      const auto& own = batches_of_[job];
      batches.insert(batches.end(), own.begin(), own.end());
    }
    std::sort(batches.begin(), batches.end());
    return batches;
  }

  // One group per job that has victims on the node; kNone: none.
  void FindVictimsOn(NodeId node) {
    victims_.tasks.clear();
    victims_.ends.clear();
    if (node == kNone) return;
    const auto name = [&](const std::vector<TaskId>& tasks) {
      victims_.tasks.insert(victims_.tasks.end(), tasks.begin(), tasks.end());
    };
    for (JobId job : jobs_on_[node]) {
      // Recorded tasks of the job are listed a second time, as in upstream.
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

}  // namespace

const ScenarioSource kNodeLocalGreedy{
    "sg-nodelocalgreedy", "NodeLocalGreedy", true,
    [](Session& session, const Probe& probe, const GpuBound& bound,
       VictimAccumulator accumulator) -> std::unique_ptr<ScenarioGenerator> {
      return std::make_unique<NodeLocalGreedy>(session, probe, bound, std::move(accumulator));
    }};

}  // namespace coppice::engine
