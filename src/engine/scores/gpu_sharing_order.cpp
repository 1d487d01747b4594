#include "engine/scores/gpu_sharing_order.h"

#include <algorithm>

namespace coppice::engine {
namespace {

constexpr double kGpuSharing = 1e4;

}  // namespace

bool GpuSharingOrder::Scores(TaskId task) const {
  return session_.cluster.ClassOf(task).gpu.shared() ||
         session_.config.compatibility.Keeps(Quirk::kSharingScore);
}

double GpuSharingOrder::Score(TaskId task, NodeId node) const {
  const Cluster& cluster = session_.cluster;
  const auto& groups = cluster.nodes()[node].groups;
  const bool room = std::any_of(groups.begin(), groups.end(), [&](const GpuGroup& group) {
    return cluster.FitsOnGroup(task, node, group);
  });
  return room ? kGpuSharing : 0;
}

}  // namespace coppice::engine
