#include "engine/actions/search/scenario.h"

#include <algorithm>

#include "engine/state/jobs/status.h"

namespace coppice::engine {
namespace {

// The job without some of its tasks, with unchanged thresholds.
std::shared_ptr<const JobSlice> Without(const Gang& gang,
                                        const boost::unordered_flat_set<TaskId>& gone) {
  auto slice = std::make_shared<JobSlice>();
  const Job& job = gang.job();
  for (int i = 0; i < static_cast<int>(job.pod_sets.size()); ++i) {
    JobSlice::Part part;
    part.min = gang.Min(i);
    for (TaskId task : gang.Tasks(i)) {
      if (!gone.contains(task)) part.tasks.push_back(task);
    }
    slice->pod_sets.push_back(std::move(part));
  }
  for (const auto& set : job.sets) slice->set_mins.push_back(set.min);
  return slice;
}

bool HasTasks(const JobSlice& slice) {
  return std::any_of(slice.pod_sets.begin(), slice.pod_sets.end(),
                     [](const auto& part) { return !part.tasks.empty(); });
}

}  // namespace

Gang PartOf(const Cluster& cluster, JobId id, std::span<const TaskId> pending) {
  const Job& job = cluster.jobs()[id];
  const boost::unordered_flat_set<TaskId> chosen(pending.begin(), pending.end());
  auto slice = std::make_shared<JobSlice>();
  for (const auto& pod_set : job.pod_sets) {
    JobSlice::Part part;
    for (TaskId task : pod_set.tasks) {
      if (IsActive(cluster.tasks()[task].status) || chosen.contains(task))
        part.tasks.push_back(task);
    }
    const auto size = static_cast<int32_t>(part.tasks.size());
    part.min = size == 0 ? pod_set.min : std::min(pod_set.min, size);
    slice->pod_sets.push_back(std::move(part));
  }
  const std::function<bool(const SubGroupSet::Member&)> filled =
      [&](const SubGroupSet::Member& member) {
        if (!member.is_set) return !slice->pod_sets[member.index].tasks.empty();
        const auto& members = job.sets[member.index].members;
        return std::any_of(members.begin(), members.end(), filled);
      };
  for (const auto& set : job.sets) {
    const auto members = std::count_if(set.members.begin(), set.members.end(), filled);
    slice->set_mins.push_back(
        set.min ? std::optional(std::min(*set.min, static_cast<int32_t>(members))) : std::nullopt);
  }
  return Gang(cluster, id, std::move(slice));
}

void VictimGroups::Add(std::span<const TaskId> group) {
  tasks.insert(tasks.end(), group.begin(), group.end());
  ends.push_back(tasks.size());
}

std::span<const TaskId> VictimGroups::Group(size_t i) const {
  const size_t start = i == 0 ? 0 : ends[i - 1];
  return std::span(tasks).subspan(start, ends[i] - start);
}

std::vector<TaskId> Scenario::Victims() const {
  std::vector<TaskId> victims = recorded.tasks;
  victims.insert(victims.end(), more.tasks.begin(), more.tasks.end());
  return victims;
}

VictimAccumulator::VictimAccumulator(Session& session, ScenarioFilter filter, const Probe& probe,
                                     std::unique_ptr<JobOrder> victims)
    : session_(session),
      probe_(probe),
      victims_(std::move(victims)),
      filter_(std::move(filter)),
      recorded_(probe.recorded.tasks.begin(), probe.recorded.tasks.end()) {}

// Takes one step of the worst job; false if no job is left.
bool VictimAccumulator::Extend() {
  while (!victims_->empty()) {
    Gang gang = victims_->Pop();
    bool remains = false;
    std::vector<TaskId> tasks = gang.TasksToEvict(remains);
    const bool known = std::any_of(tasks.begin(), tasks.end(),
                                   [&](TaskId task) { return recorded_.contains(task); });
    if (known) {
      auto rest = Without(gang, recorded_);
      if (HasTasks(*rest)) victims_->Push(Gang(session_.cluster, gang.id(), std::move(rest)));
      continue;
    }
    if (tasks.empty()) continue;
    if (remains) {
      auto rest = Without(gang, {tasks.begin(), tasks.end()});
      victims_->Push(Gang(session_.cluster, gang.id(), std::move(rest)));
    }
    filter_.AddVictims(tasks);
    potential_.push_back({gang.id(), std::move(tasks)});
    return true;
  }
  return false;
}

bool VictimAccumulator::Next() {
  if (!started_) {
    started_ = true;
    if (filter_.Passes()) return true;
    ++session_.counters().scenarios_filtered;
  }
  while (Extend()) {
    if (filter_.Passes()) return true;
    ++session_.counters().scenarios_filtered;
  }
  return false;
}

}  // namespace coppice::engine
