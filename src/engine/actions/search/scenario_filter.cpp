#include "engine/actions/search/scenario_filter.h"

#include <algorithm>
#include <functional>

#include "engine/actions/search/scenario.h"

namespace coppice::engine {
namespace {

template <typename Amount>
bool MatchLargestFirst(std::vector<Amount> requirements, std::vector<Amount> capacities) {
  std::sort(requirements.begin(), requirements.end(), std::greater<>());
  std::sort(capacities.begin(), capacities.end(), std::greater<>());
  std::vector<Amount> taken(capacities.size());
  for (Amount requirement : requirements) {
    if (requirement <= 0) return true;
    bool placed = false;
    for (size_t i = 0; i < capacities.size() && !placed; ++i) {
      if (capacities[i] < requirement) return false;
      if (capacities[i] - taken[i] < requirement) continue;
      taken[i] += requirement;
      placed = true;
    }
    if (!placed) return false;
  }
  return true;
}

}  // namespace

bool GreedyMatch(std::vector<int64_t> requirements, std::vector<int64_t> capacities) {
  return MatchLargestFirst(std::move(requirements), std::move(capacities));
}

bool GreedyMatchOfParts(std::vector<double> requirements, std::vector<double> capacities) {
  return MatchLargestFirst(std::move(requirements), std::move(capacities));
}

bool CouldMatch(const std::vector<int64_t>& requirements, const std::vector<int64_t>& capacities) {
  int64_t largest = 0, sum = 0, most = 0, room = 0;
  for (int64_t requirement : requirements) {
    largest = std::max(largest, requirement);
    sum += requirement;
  }
  for (int64_t capacity : capacities) {
    most = std::max(most, capacity);
    room += std::max<int64_t>(capacity, 0);
  }
  return largest <= most && sum <= room;
}

bool ScenarioFilter::Match(std::vector<int64_t> requirements,
                           std::vector<int64_t> capacities) const {
  return session_.config.compatibility.Keeps(Quirk::kGreedyFilters)
             ? GreedyMatch(std::move(requirements), std::move(capacities))
             : CouldMatch(requirements, capacities);
}

ScenarioFilter::ScenarioFilter(Session& session, const Probe& probe)
    : session_(session), cluster_(session.cluster), predicates_(session.predicates.get()) {
  for (TaskId task : probe.pending) {
    requirements_.push_back(cluster_.RequestedQuota(cluster_.tasks()[task]));
    if (cluster_.ClassOf(task).has_node_affinity) choosy_.push_back(task);
  }
  const Job& job = probe.gang.job();
  std::vector<int64_t> set_quota(job.sets.size());
  for (int i = 0; i < static_cast<int>(job.pod_sets.size()); ++i) {
    int64_t quota = 0;
    for (TaskId task : probe.gang.Tasks(i))
      quota += cluster_.RequestedQuota(cluster_.tasks()[task]);
    for (int set = job.pod_sets[i].parent; set != kNone; set = job.sets[set].parent) {
      set_quota[set] += quota;
    }
  }
  for (size_t set = 0; set < job.sets.size(); ++set) {
    const Constraint& constraint = job.sets[set].constraint;
    if (!constraint.any() || !constraint.required) continue;
    auto& need = levels_[{constraint.topology, constraint.required}];
    need.label = cluster_.Text(constraint.required);
    need.requirements.push_back(set_quota[set]);
  }
  const bool whole = std::all_of(requirements_.begin(), requirements_.end(),
                                 [](int64_t r) { return r % kGpuUnit == 0; });
  const bool equal = std::all_of(requirements_.begin(), requirements_.end(),
                                 [&](int64_t r) { return r == requirements_[0]; });
  if (whole && equal && !requirements_.empty()) equal_requirement_ = requirements_[0];
  if (!whole) {
    devices_.assign(cluster_.nodes().size(), 0);
    for (NodeId node : cluster_.node_order()) devices_[node] = cluster_.nodes().FreeGpus(node);
  }
  capacity_.assign(cluster_.nodes().size(), 0);
  reachable_.assign(cluster_.nodes().size(), 0);
  for (NodeId node : cluster_.node_order()) {
    capacity_[node] = cluster_.nodes().IdleGpuSum(node) + cluster_.nodes().ReleasingGpuSum(node);
    if (equal_requirement_ > 0)
      slots_ += std::max<int64_t>(capacity_[node], 0) / equal_requirement_;
  }
  for (NodeId node : probe.feasible) reachable_[node] = 1;
  // A task that is listed twice frees its place once.
  std::vector<TaskId> recorded = probe.recorded.tasks;
  std::sort(recorded.begin(), recorded.end());
  recorded.erase(std::unique(recorded.begin(), recorded.end()), recorded.end());
  AddVictims(recorded);
}

void ScenarioFilter::AddVictims(std::span<const TaskId> tasks) {
  for (TaskId id : tasks) {
    const Task& task = cluster_.tasks()[id];
    if (task.node == kNone) continue;
    int64_t& capacity = capacity_[task.node];
    const int64_t before = std::max<int64_t>(capacity, 0);
    const int64_t freed = cluster_.AcceptedQuota(task, task.node);
    capacity += freed;
    if (!devices_.empty()) devices_[task.node] += InDevices(freed);
    if (equal_requirement_ > 0) {
      slots_ += std::max<int64_t>(capacity, 0) / equal_requirement_ - before / equal_requirement_;
    }
    reachable_[task.node] = 1;
  }
}

bool ScenarioFilter::Passes() const { return AffinitiesPass() && TopologyPasses() && GpusPass(); }

bool ScenarioFilter::AffinitiesPass() const {
  if (choosy_.empty() || !predicates_) return true;
  return std::all_of(choosy_.begin(), choosy_.end(), [&](TaskId task) {
    return std::any_of(cluster_.node_order().begin(), cluster_.node_order().end(),
                       [&](NodeId node) {
                         return reachable_[node] && predicates_->MatchesNodeAffinity(task, node);
                       });
  });
}

bool ScenarioFilter::TopologyPasses() const {
  for (const auto& [key, need] : levels_) {
    std::map<std::string_view, int64_t> domains;
    for (NodeId node : cluster_.node_order()) {
      const auto value = cluster_.LabelsOf(node).Find(need.label);
      if (value) domains[*value] += capacity_[node];
    }
    std::vector<int64_t> capacities;
    for (const auto& [value, capacity] : domains) capacities.push_back(capacity);
    if (!Match(need.requirements, std::move(capacities))) return false;
  }
  return true;
}

bool ScenarioFilter::GpusPass() const {
  // Equal requirements fill the largest holders one by one, so only their number matters.
  if (equal_requirement_ > 0) return slots_ >= static_cast<int64_t>(requirements_.size());
  if (!devices_.empty() && session_.config.compatibility.Keeps(Quirk::kGreedyFilters)) {
    std::vector<double> wanted;
    for (int64_t requirement : requirements_) wanted.push_back(InDevices(requirement));
    return GreedyMatchOfParts(std::move(wanted), devices_);
  }
  std::vector<int64_t> capacities;
  capacities.reserve(cluster_.node_order().size());
  for (NodeId node : cluster_.node_order()) capacities.push_back(capacity_[node]);
  return Match(requirements_, std::move(capacities));
}

}  // namespace coppice::engine
