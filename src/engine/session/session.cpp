#include "engine/session/session.h"

namespace coppice::engine {

GroupKey Session::KeyOf(JobId id) const {
  const Job& job = cluster.jobs()[id];
  return {std::string(cluster.Text(job.namespace_name)), std::string(cluster.Text(job.name))};
}

PodKey Session::KeyOfPod(TaskId id) const {
  const Task& task = cluster.tasks()[id];
  return {std::string(cluster.Text(cluster.ClassOf(task).namespace_name)),
          std::string(cluster.Text(task.name)), std::string(cluster.Text(task.uid))};
}

}  // namespace coppice::engine
