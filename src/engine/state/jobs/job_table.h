#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <string_view>
#include <vector>

#include "engine/state/jobs/job.h"
#include "engine/state/values/cycle_log.h"
#include "engine/state/values/names.h"

namespace coppice::engine {

// The pod groups by dense ids. An id belongs to a name forever, because pods may name a group
// before it is added.
//
// Invariants: a job's version increases with every change of its tasks and their statuses, and
// inside a cycle the log then lists the job. A job whose tasks or tree are out of date is flagged,
// and the next refresh visits it. After the refresh, order() has exactly the existing jobs, by name
// and then namespace, and id_rank is a job's position in it.
class JobTable {
 public:
  // `by_name`: upstream identifies groups by name alone.
  JobTable(Names& names, CycleLog& log, bool by_name)
      : names_(names), log_(log), by_name_(by_name) {}

  // kNone if it does not exist.
  JobId Find(std::string_view namespace_name, std::string_view name) const;
  size_t size() const { return jobs_.size(); }
  const Job& operator[](JobId id) const { return jobs_[id]; }
  Job& operator[](JobId id) { return jobs_[id]; }
  auto begin() const { return jobs_.begin(); }
  auto end() const { return jobs_.end(); }
  uint32_t version(JobId id) const { return versions_[id]; }
  const std::vector<JobId>& order() const { return order_; }

  // The id of the name; assigns one if needed.
  JobId ByName(NameId namespace_name, NameId name);
  void Put(JobId id, const PodGroupSpec& spec);
  void Remove(JobId id);

  void AddTask(JobId id, TaskId task);
  void RemoveTask(JobId id, TaskId task);
  // Marks the membership, order or statuses of its tasks as out of date.
  void TasksChanged(JobId id);
  // Call when queues or nodes came or went: every job is visited again.
  void LookAtAll() { changed_ = true; }
  // The level names of topologies have changed too.
  void TreesChanged();

  // A task of a pod set changes its status.
  void CountStatus(JobId id, int32_t pod_set, TaskStatus from, TaskStatus to) {
    StatusCounts& counts = jobs_[id].pod_sets[pod_set].counts;
    counts.Add(from, -1);
    counts.Add(to, +1);
    ++versions_[id];
    log_.Moved(id);
  }
  // Its tasks were recounted.
  void Recounted(JobId id) { ++versions_[id]; }

  // Calls `look(job)` for every existing job that may be out of date, and `update(job)` for those
  // whose tasks are; sorts all jobs if their order may have changed.
  template <typename Look, typename Update>
  void Refresh(Look&& look, Update&& update) {
    if (!changed_) {
      for (JobId id : changed_jobs_) {
        if (jobs_[id].exists && jobs_[id].tasks_changed) update(id);
      }
    } else {
      changed_ = false;
      order_.clear();
      for (JobId id = 0; id < static_cast<JobId>(jobs_.size()); ++id) {
        if (!jobs_[id].exists) continue;
        order_.push_back(id);
        look(id);
        if (jobs_[id].tasks_changed) update(id);
      }
      Sort();
    }
    changed_jobs_.clear();
  }

 private:
  uint64_t KeyOf(NameId namespace_name, NameId name) const {
    return static_cast<uint64_t>(by_name_ ? 0 : namespace_name) << 32 | name;
  }
  void Sort();

  Names& names_;
  CycleLog& log_;
  const bool by_name_;
  std::vector<Job> jobs_;
  std::vector<uint32_t> versions_;
  boost::unordered_flat_map<uint64_t, JobId> ids_;
  std::vector<JobId> order_;
  std::vector<JobId> changed_jobs_;
  bool changed_ = true;
};

}  // namespace coppice::engine
