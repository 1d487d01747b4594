#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/state/cluster.h"

namespace coppice::engine {

// A part of a job that is treated as the whole: some of its tasks, with thresholds lowered to
// match. The solver tries and evicts jobs in parts.
struct JobSlice {
  struct Part {
    std::vector<TaskId> tasks;
    int32_t min = 0;
  };
  std::vector<Part> pod_sets;
  std::vector<std::optional<int32_t>> set_mins;
};

// A job, whole or in part, from the perspective of the gang rules (docs/behaviour/engine.md S-29 to
// S-32).
class Gang {
 public:
  Gang(const Cluster& cluster, JobId job, std::shared_ptr<const JobSlice> slice = nullptr)
      : cluster_(&cluster), job_(job), slice_(std::move(slice)) {}

  JobId id() const { return job_; }
  const Job& job() const { return cluster_->jobs()[job_]; }
  bool partial() const { return slice_ != nullptr; }

  std::span<const TaskId> Tasks(int pod_set) const {
    return slice_ ? slice_->pod_sets[pod_set].tasks : job().pod_sets[pod_set].tasks;
  }
  int Min(int pod_set) const {
    return slice_ ? slice_->pod_sets[pod_set].min : job().pod_sets[pod_set].min;
  }
  StatusCounts Counts(int pod_set) const {
    return slice_ ? CountSlice(pod_set) : job().pod_sets[pod_set].counts;
  }
  int Active(int pod_set) const {
    return slice_ ? CountSlice(pod_set).Active() : job().pod_sets[pod_set].counts.Active();
  }
  int Threshold(int set) const;

  int TotalActive() const;
  bool HasPending() const;
  bool HasActive() const { return TotalActive() > 0; }
  bool PodSetSatisfied(int pod_set) const { return Active(pod_set) >= Min(pod_set); }
  bool SetSatisfied(int set) const;
  bool Satisfied(const SubGroupSet::Member& member) const {
    return member.is_set ? SetSatisfied(member.index) : PodSetSatisfied(member.index);
  }
  // Enough pods exist and are ungated, at every level.
  bool Ready() const { return SetReady(0); }
  bool PodSetReady(int pod_set) const;
  // Every pod set has its minimum on nodes.
  bool GangSatisfied() const;
  // Enough members of the set have their minimum on nodes.
  bool UsesEnough(int set) const;
  bool Elastic() const;
  bool Stale() const;
  bool MustPipeline() const;
  bool ShouldAllocate(TaskId task, bool real) const;

  // Whether the pod set is the member or is below it.
  bool Contains(const SubGroupSet::Member& member, int pod_set) const;
  // The members of a set in the order in which they are served; stored in `room` if they must be
  // sorted first.
  using Members = std::vector<SubGroupSet::Member>;
  std::span<const SubGroupSet::Member> OrderedMembers(int set, Members& room) const;
  std::vector<TaskId> TasksToAllocate(bool real) const;
  // One step of eviction; `remains` returns whether the job keeps active tasks.
  std::vector<TaskId> TasksToEvict(bool& remains) const;
  // Requests of the tasks to allocate; GPU memory is converted to devices of the smallest kind.
  Quantities InitialRequest(bool real) const;
  Quantities RequestOf(std::span<const TaskId> tasks) const;
  // Requests of the placed tasks.
  Sums AllocatedRequest() const;

  std::vector<TaskId> AllTasks() const;

 private:
  StatusCounts CountSlice(int pod_set) const;
  bool SetReady(int set) const;
  bool HasSurplus(int set) const;
  int CompareMembers(const SubGroupSet::Member& l, const SubGroupSet::Member& r) const;
  void CountMember(const SubGroupSet::Member& member, int& count, int& threshold) const;
  bool Satisfiable(const SubGroupSet::Member& member, bool real) const;
  // These append to `out`.
  void Collect(int set, bool real, std::vector<TaskId>& out) const;
  void Take(int pod_set, bool real, std::vector<TaskId>& out) const;
  void EvictElastic(int set, std::vector<TaskId>& out) const;
  void ActiveTasks(const SubGroupSet::Member& member, std::vector<TaskId>& out) const;
  TaskId LastActive(int pod_set) const;
  NameId NameOf(const SubGroupSet::Member& member) const;

  const Cluster* cluster_;
  JobId job_;
  std::shared_ptr<const JobSlice> slice_;
};

}  // namespace coppice::engine
