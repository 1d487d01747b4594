#include "engine/framework/session.h"

#include "engine/framework/cycle_plugins.h"
#include "engine/placement/fragmentation.h"

namespace coppice::engine {

Session::Session(Cluster& cluster_state, const Configuration& configuration, Plugins plugin_set,
                 base::Time time)
    : cluster(cluster_state),
      config(configuration),
      plugins(std::move(plugin_set)),
      now(time),
      shares(cluster, plugins) {}

Session::~Session() = default;

bool Session::FitsIdle(TaskId task, NodeId node) const {
  return cluster.FitsIdle(task, node) && (!storage || storage->FitsIdle(task, node));
}

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
