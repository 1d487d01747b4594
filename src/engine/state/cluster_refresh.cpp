#include <algorithm>

#include "engine/model/device_names.h"
#include "engine/state/cluster.h"
#include "engine/state/job_tree.h"
#include "engine/state/jobs/status.h"
#include "engine/state/jobs/task_order.h"

// Updates orders, links and trees before a cycle.

namespace coppice::engine {

void Cluster::Refresh() {
  RefreshDevices();
  nodes_.Refresh();
  if (configuration_.assumed_gpu_memory > 0) {
    nodes_.AssumeGpuMemory(configuration_.assumed_gpu_memory);
  }
  queues_.Refresh(!configuration_.full_hierarchy_fairness, problems_);
  RefreshJobs();
}

const std::vector<TaskId>& Cluster::Leaving() {
  std::erase_if(tasks_.deleting(), [&](TaskId id) {
    const Task& task = tasks_[id];
    return task.status != TaskStatus::kReleasing || !task.extras || !task.extras->deletion;
  });
  return tasks_.deleting();
}

void Cluster::RefreshJobs() {
  const JobTreeBuilder trees(names_, topologies_, problems_);
  const auto look = [&](JobId id) {
    Job& job = jobs_[id];
    job.queue = FindQueue(job.spec->queue);
    if (job.queue != kNone && !queues_[job.queue].reachable) job.queue = kNone;
    if (job.tree_changed) trees.Build(job);
  };
  jobs_.Refresh(look, [&](JobId id) { CollectTasks(id); });
}

void Cluster::CollectTasks(JobId id) {
  Job& job = jobs_[id];
  job.tasks_changed = false;
  job.report = true;
  jobs_.Recounted(id);
  job.unknown.clear();
  for (auto& pod_set : job.pod_sets) {
    pod_set.tasks.clear();
    pod_set.counts = {};
  }
  const bool only_default =
      job.sets.size() == 1 && job.pod_sets.size() == 1 && Text(job.pod_sets[0].name) == "default";
  for (TaskId task_id : job.tasks) {
    Task& task = tasks_[task_id];
    task.pod_set = kNone;
    problems_.MarkStranded(task_id, task.node != kNone && !nodes_[task.node].exists);
    if (only_default && task.sub_group == 0) task.pod_set = 0;
    for (size_t i = 0; i < job.pod_sets.size() && task.pod_set == kNone; ++i) {
      const bool named = job.pod_sets[i].name == task.sub_group ||
                         (task.sub_group == 0 && Text(job.pod_sets[i].name) == "default");
      if (named) task.pod_set = static_cast<int32_t>(i);
    }
    if (task.pod_set == kNone) {
      job.unknown.push_back(task_id);
      continue;
    }
    PodSet& pod_set = job.pod_sets[task.pod_set];
    pod_set.tasks.push_back(task_id);
    pod_set.counts.Add(task.status, +1);
  }
  for (auto& pod_set : job.pod_sets) {
    const auto less = [&](TaskId a, TaskId b) {
      return TaskInOrder(task_orders_, names_, tasks_[a], tasks_[b]);
    };
    // They usually arrived in order.
    if (std::is_sorted(pod_set.tasks.begin(), pod_set.tasks.end(), less)) continue;
    std::sort(pod_set.tasks.begin(), pod_set.tasks.end(), less);
  }
}

// Devices that claims serve count among the nodes' GPUs and the pods' requests
// (docs/behaviour/engine.md S-24).
void Cluster::RefreshDevices() {
  if (!devices_.TakeChanged()) return;
  devices_.ResolveServed(resources_);
  std::map<std::string, int64_t, std::less<>> gpus;
  for (const auto& [name, slice] : devices_.slices()) {
    if (!slice.node_name.empty() && NamesGpu(slice.driver, GpuNamesOf(configuration_))) {
      gpus[slice.node_name] += static_cast<int64_t>(slice.devices.size());
    }
  }
  for (NodeId id = 0; id < static_cast<NodeId>(nodes_.size()); ++id) {
    const Node& node = nodes_[id];
    if (!node.exists) continue;
    auto found = gpus.find(Text(node.name));
    const int64_t count = found == gpus.end() ? 0 : found->second;
    if (count == node.dra_gpus) continue;
    nodes_.SetDraGpus(id, count);
    RebuildNode(id);
  }
  for (TaskId id : tasks_.claimants()) RefreshClaims(id);
}

void Cluster::RefreshClaims(TaskId id) {
  Task& task = tasks_[id];
  const std::string_view namespace_name = Text(ClassOf(task).namespace_name);
  std::vector<int32_t> claim_ids;
  std::vector<NameId> gpu_devices;
  int64_t count = 0;
  for (const auto& ref : task.extras->claims) {
    const int32_t claim_id = devices_.Find(namespace_name, ref.claim_name);
    claim_ids.push_back(claim_id);
    if (claim_id == kNone) continue;
    const ResourceClaimSpec& claim = devices_.claims()[claim_id].spec;
    count += GpuDevices(claim, GpuNamesOf(configuration_));
    auto given = task.extras->claim_allocations.find(ref.name);
    const ClaimAllocation* allocation = given != task.extras->claim_allocations.end()
                                            ? &given->second
                                        : claim.allocation ? &*claim.allocation
                                                           : nullptr;
    if (!allocation) continue;
    for (const auto& device : allocation->devices) {
      if (!NamesGpu(device.driver, GpuNamesOf(configuration_))) continue;
      gpu_devices.push_back(names_.Intern(device.driver + "/" + device.pool + "/" + device.device));
    }
  }
  const bool charged = task.node != kNone && IsUsed(task.status);
  if (charged) Uncharge(task.node, id, task.status, task.groups);
  CountForeign(task, -1);
  task.extras->claim_ids = std::move(claim_ids);
  task.extras->devices = std::move(gpu_devices);
  task.cls = classes_.Classify(ClassOf(task).shape, count, task.legacy_mig);
  CountForeign(task, +1);
  if (charged) Charge(task.node, id, task.status, task.groups);
}

}  // namespace coppice::engine
