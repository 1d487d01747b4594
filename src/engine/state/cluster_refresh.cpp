#include <algorithm>

#include "base/forest.h"
#include "engine/state/cluster.h"
#include "engine/state/status.h"

// Bringing orders, links and trees up to date before a cycle.

namespace coppice::engine {
namespace {

// A queue counts when the way up from it ends at a top queue. One more than there are stands above
// those whose parent is missing.
std::vector<int32_t> ParentsOf(const std::vector<Queue>& queues) {
  const auto missing = static_cast<int32_t>(queues.size());
  std::vector<int32_t> parents(queues.size() + 1, -1);
  for (size_t id = 0; id < queues.size(); ++id) {
    if (!queues[id].exists || queues[id].spec->parent.empty()) continue;
    parents[id] = queues[id].parent == kNone ? missing : queues[id].parent;
  }
  return parents;
}

}  // namespace

void Cluster::Refresh(base::Time now) {
  RefreshDevices();
  if (nodes_changed_) RefreshNodes();
  if (queues_changed_) RefreshQueues();
  RefreshJobs(now);
}

void Cluster::RefreshNodes() {
  nodes_changed_ = false;
  node_order.clear();
  min_gpu_memory.reset();
  max_gpu_memory.reset();
  for (NodeId id = 0; id < static_cast<NodeId>(nodes.size()); ++id) {
    const Node& node = nodes[id];
    const bool kept = node.exists && (!configuration.restrict_node_scheduling || node.cpu_worker ||
                                      node.gpu_worker);
    if (!kept) continue;
    node_order.push_back(id);
    if (node.gpu_memory <= 100) continue;
    min_gpu_memory = std::min(min_gpu_memory.value_or(node.gpu_memory), node.gpu_memory);
    max_gpu_memory = std::max(max_gpu_memory.value_or(node.gpu_memory), node.gpu_memory);
  }
  const auto by_name = [&](NodeId a, NodeId b) {
    return Text(nodes[a].name) < Text(nodes[b].name);
  };
  if (!std::is_sorted(node_order.begin(), node_order.end(), by_name)) {
    std::sort(node_order.begin(), node_order.end(), by_name);
  }
  for (size_t i = 0; i < node_order.size(); ++i) {
    nodes[node_order[i]].rank = static_cast<int32_t>(i);
  }
}

void Cluster::RefreshQueues() {
  queues_changed_ = false;
  ForgetProblems("Queue");
  const bool flat = !configuration.full_hierarchy_fairness;
  std::vector<QueueId> by_name;
  for (QueueId id = 0; id < static_cast<QueueId>(queues.size()); ++id) {
    queues[id].parent = kNone;
    queues[id].children.clear();
    queues[id].reachable = false;
    if (queues[id].exists) by_name.push_back(id);
  }
  std::sort(by_name.begin(), by_name.end(),
            [&](QueueId a, QueueId b) { return Text(queues[a].name) < Text(queues[b].name); });
  for (size_t i = 0; i < by_name.size(); ++i) {
    Queue& queue = queues[by_name[i]];
    CheckQuotas(*queue.spec);
    queue.name_rank = static_cast<int32_t>(i);
    if (!queue.spec->parent.empty()) queue.parent = FindQueue(queue.spec->parent);
  }
  const std::vector<base::Ancestry> ancestries = base::Ancestries(ParentsOf(queues));
  for (const QueueId id : by_name) {
    const base::Ancestry& ancestry = ancestries[static_cast<size_t>(id)];
    queues[id].reachable =
        ancestry.depth >= 0 && ancestry.top != static_cast<int32_t>(queues.size());
    if (queues[id].reachable) continue;
    Problem("Queue", Text(queues[id].name),
            ancestry.depth < 0 ? "is its own ancestor" : "a parent of the queue does not exist");
  }
  roots.clear();
  for (QueueId id : by_name) {
    if (!queues[id].reachable) continue;
    const QueueId parent = queues[id].parent;
    if (parent == kNone || flat) {
      roots.push_back(id);
    } else {
      queues[parent].children.push_back(id);
    }
  }
  if (flat) {
    // Projects only: whoever has a parent stands alone at the top, the parents vanish.
    std::erase_if(roots, [&](QueueId id) { return queues[id].spec->parent.empty(); });
    for (QueueId id : by_name) {
      if (queues[id].spec->parent.empty()) queues[id].reachable = false;
      queues[id].parent = kNone;
    }
  }
}

void Cluster::RefreshJobs(base::Time now) {
  (void)now;
  if (jobs_changed_) {
    jobs_changed_ = false;
    job_order.clear();
    for (JobId id = 0; id < static_cast<JobId>(jobs.size()); ++id) {
      Job& job = jobs[id];
      if (!job.exists) continue;
      job_order.push_back(id);
      job.queue = FindQueue(job.spec->queue);
      if (job.queue != kNone && !queues[job.queue].reachable) job.queue = kNone;
      if (job.tree_changed) BuildTree(job);
      if (job.tasks_changed) CollectTasks(id);
    }
    const auto by_name = [&](JobId a, JobId b) {
      return std::make_tuple(Text(jobs[a].name), Text(jobs[a].namespace_name)) <
             std::make_tuple(Text(jobs[b].name), Text(jobs[b].namespace_name));
    };
    if (!std::is_sorted(job_order.begin(), job_order.end(), by_name)) {
      std::sort(job_order.begin(), job_order.end(), by_name);
    }
    for (size_t i = 0; i < job_order.size(); ++i) {
      jobs[job_order[i]].id_rank = static_cast<int32_t>(i);
    }
  } else {
    for (JobId id : changed_jobs_) {
      if (jobs[id].exists && jobs[id].tasks_changed) CollectTasks(id);
    }
  }
  changed_jobs_.clear();
}

}  // namespace coppice::engine
