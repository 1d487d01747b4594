#include "engine/state/jobs/job_table.h"

#include <algorithm>
#include <tuple>

namespace coppice::engine {

JobId JobTable::Find(std::string_view namespace_name, std::string_view name) const {
  auto found = ids_.find(KeyOf(names_.Find(namespace_name), names_.Find(name)));
  return found == ids_.end() || !jobs_[found->second].exists ? kNone : found->second;
}

JobId JobTable::ByName(NameId namespace_name, NameId name) {
  auto [found, added] =
      ids_.try_emplace(KeyOf(namespace_name, name), static_cast<JobId>(jobs_.size()));
  if (added) {
    Job& job = jobs_.emplace_back();
    versions_.push_back(0);
    job.namespace_name = namespace_name;
    job.name = name;
    changed_ = true;
  }
  return found->second;
}

void JobTable::Put(JobId id, const PodGroupSpec& spec) {
  Job& job = jobs_[id];
  job.exists = true;
  job.namespace_name = names_.Intern(spec.namespace_name);
  job.uid = names_.Intern(spec.uid);
  job.set = spec.set.empty() ? 0 : names_.Intern(spec.namespace_name + "/" + spec.set);
  job.priority = spec.priority;
  job.preemptible = spec.preemptible;
  job.creation = spec.creation;
  job.last_start = spec.last_start;
  job.last_eviction = spec.last_eviction;
  job.stale_since = spec.stale_since;
  job.stale = spec.stale_since.has_value();
  job.spec = std::make_unique<const PodGroupSpec>(spec);
  TasksChanged(id);
  job.tree_changed = true;
  changed_ = true;
}

void JobTable::Remove(JobId id) {
  Job& job = jobs_[id];
  job.exists = false;
  job.spec.reset();
  job.sets.clear();
  job.pod_sets.clear();
  job.errors = {};
  job.tree_changed = true;
  changed_ = true;
}

void JobTable::AddTask(JobId id, TaskId task) {
  jobs_[id].tasks.push_back(task);
  TasksChanged(id);
}

void JobTable::RemoveTask(JobId id, TaskId task) {
  std::vector<TaskId>& tasks = jobs_[id].tasks;
  tasks.erase(std::find(tasks.begin(), tasks.end(), task));
  TasksChanged(id);
}

void JobTable::TasksChanged(JobId id) {
  if (!jobs_[id].tasks_changed) changed_jobs_.push_back(id);
  jobs_[id].tasks_changed = true;
}

void JobTable::TreesChanged() {
  for (Job& job : jobs_) job.tree_changed = true;
  changed_ = true;
}

void JobTable::Sort() {
  const auto by_name = [&](JobId a, JobId b) {
    return std::make_tuple(names_.Text(jobs_[a].name), names_.Text(jobs_[a].namespace_name)) <
           std::make_tuple(names_.Text(jobs_[b].name), names_.Text(jobs_[b].namespace_name));
  };
  if (!std::is_sorted(order_.begin(), order_.end(), by_name)) {
    std::sort(order_.begin(), order_.end(), by_name);
  }
  for (size_t i = 0; i < order_.size(); ++i) jobs_[order_[i]].id_rank = static_cast<int32_t>(i);
}

}  // namespace coppice::engine
