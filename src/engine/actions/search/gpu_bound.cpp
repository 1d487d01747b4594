#include "engine/actions/search/gpu_bound.h"

#include <algorithm>

#include "engine/state/jobs/status.h"

namespace coppice::engine {
namespace {

// The only node of all active tasks; nullopt if there are several.
std::optional<NodeId> OnlyNodeOf(const Cluster& cluster, const Job& job, int64_t& quota) {
  NodeId only = kNone;
  for (const auto& pod_set : job.pod_sets) {
    for (TaskId id : pod_set.tasks) {
      const Task& task = cluster.tasks()[id];
      if (task.node == kNone) continue;
      if (only != kNone && task.node != only) return std::nullopt;
      only = task.node;
      if (IsActive(task.status)) quota += cluster.AcceptedQuota(task, task.node);
    }
  }
  return only;
}

}  // namespace

GpuBound::GpuBound(const Cluster& cluster, std::span<const TaskId> pending,
                   std::span<const TaskId> recorded)
    : cluster_(cluster) {
  for (TaskId task : pending) {
    const int64_t quota = cluster.RequestedQuota(cluster.tasks()[task]);
    if (need_ != 0 && quota != each_) each_ = 0;
    if (need_ == 0) each_ = quota;
    ++need_;
  }
  if (each_ <= 0) return;
  free_.assign(cluster.nodes().size(), 0);
  freed_.assign(cluster.nodes().size(), 0);
  for (NodeId node : cluster.node_order()) {
    free_[node] = cluster.nodes().IdleGpuSum(node) + cluster.nodes().ReleasingGpuSum(node);
  }
  for (TaskId id : recorded) {
    const Task& task = cluster.tasks()[id];
    if (task.node != kNone) free_[task.node] += cluster.AcceptedQuota(task, task.node);
  }
  for (NodeId node : cluster.node_order()) slots_ += SlotsWith(node, 0);
}

int64_t GpuBound::SlotsWith(NodeId node, int64_t freed) const {
  return std::max<int64_t>(free_[node] + freed, 0) / each_;
}

bool GpuBound::Allows(std::span<const TaskId> victims) const {
  if (each_ <= 0 || slots_ >= need_) return true;
  int64_t slots = slots_;
  for (TaskId id : victims) {
    const Task& task = cluster_.tasks()[id];
    if (task.node == kNone) continue;
    int64_t& freed = freed_[task.node];
    slots -= SlotsWith(task.node, freed);
    freed += cluster_.AcceptedQuota(task, task.node);
    slots += SlotsWith(task.node, freed);
  }
  for (TaskId id : victims) {
    if (cluster_.tasks()[id].node != kNone) freed_[cluster_.tasks()[id].node] = 0;
  }
  return slots >= need_;
}

bool GpuBound::OneNodeIsTooFew(std::span<const JobId> candidates) const {
  // One more slot is usually available from a single node's victims, so counting is not worthwhile.
  if (each_ <= 0 || slots_ + 1 >= need_) return false;
  bool known = true;
  int64_t most = 0;
  std::vector<NodeId> touched;
  for (JobId id : candidates) {
    int64_t quota = 0;
    const auto node = OnlyNodeOf(cluster_, cluster_.jobs()[id], quota);
    known = node.has_value();
    if (!known) break;
    if (*node == kNone) continue;
    touched.push_back(*node);
    freed_[*node] += quota;
    most = std::max(most, SlotsWith(*node, freed_[*node]) - SlotsWith(*node, 0));
  }
  for (NodeId node : touched) freed_[node] = 0;
  return known && slots_ + most < need_;
}

}  // namespace coppice::engine
