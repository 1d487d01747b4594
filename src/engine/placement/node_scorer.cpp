#include "engine/placement/node_scorer.h"

#include <algorithm>

#include "engine/placement/numa_planner.h"

namespace coppice::engine {
namespace {

constexpr double kNominatedNode = 1e7;
constexpr double kAffinity = 1e6;
constexpr double kGpuSharing = 1e4;
constexpr double kAvailability = 1e3;
// Preferred node affinity, which upstream does not score: per unit of weight, so that any weight
// outdoes density and none outdoes being free now.
constexpr double kNodePreference = 10;
constexpr int kMostNodePreference = 99;
constexpr double kResourceType = 10;
constexpr double kHighDensity = 9;

int NodePreference(const Affinity& affinity, const Cluster& cluster, NodeId node) {
  if (affinity.preferred_nodes.empty()) return 0;
  const std::string_view name = cluster.Text(cluster.nodes[node].name);
  return std::clamp(Preference(affinity.preferred_nodes, cluster.LabelsOf(node), name), 0,
                    kMostNodePreference);
}

}  // namespace

void NodeScorer::PrepareClass(TaskId task) {
  const bool gpu = !cluster_.ClassOf(task).cpu_only;
  resource_ = gpu ? kGpu : kCpu;
  placement_ = gpu ? session_.plugins.gpu_placement : session_.plugins.cpu_placement;
}

double NodeScorer::DensityOrder(NodeId node) const {
  if (placement_ == Placement::kNone) return 0;
  if (placement_ == Placement::kBinpack) return static_cast<double>(Free(node));
  return -PlacementScore(node);
}

void NodeScorer::Prepare(TaskId task, const NodeSet& nodes) {
  PrepareClass(task);
  any_ = false;
  max_free_ = 0;
  if (placement_ == Placement::kBinpack) {
    for (NodeId node : nodes) {
      if (cluster_.amounts.allocatable(node)[resource_] == 0) continue;
      const int64_t free = Free(node);
      min_free_ = any_ ? std::min(min_free_, free) : free;
      max_free_ = std::max(max_free_, free);
      any_ = true;
    }
  }
  if (session_.plugins.podaffinity) affinity_.Prepare(task);
}

int64_t NodeScorer::Free(NodeId node) const {
  return cluster_.amounts.idle(node)[resource_] + cluster_.amounts.releasing(node)[resource_];
}

double NodeScorer::PlacementScore(NodeId id) const {
  const int64_t allocatable = cluster_.amounts.allocatable(id)[resource_];
  if (placement_ == Placement::kNone) return 0;
  if (placement_ == Placement::kSpread) {
    int64_t count = allocatable;
    if (resource_ == kGpu) count = cluster_.nodes[id].gpu_count * kGpuUnit;
    return count == 0 ? 0 : static_cast<double>(Free(id)) / static_cast<double>(count);
  }
  if (allocatable == 0 || max_free_ == 0) return 0;
  if (min_free_ == max_free_) return kHighDensity;
  return kHighDensity * (1 - static_cast<double>(Free(id) - min_free_) /
                                 static_cast<double>(max_free_ - min_free_));
}

bool NodeScorer::SharesGpu(TaskId task, NodeId id) const {
  if (!cluster_.ClassOf(task).gpu.shared() &&
      !session_.config.compatibility.Keeps(Quirk::kSharingScore)) {
    return false;
  }
  const auto& groups = cluster_.nodes[id].groups;
  return std::any_of(groups.begin(), groups.end(),
                     [&](const GpuGroup& group) { return cluster_.FitsOnGroup(task, id, group); });
}

bool NodeScorer::Nominated(const Task& task, NodeId node) const {
  return task.extras && !task.extras->nominated_node.empty() &&
         task.extras->nominated_node == cluster_.Text(cluster_.nodes[node].name);
}

std::optional<double> NodeScorer::Score(TaskId id, NodeId node) const {
  const auto tier = TierScore(id, node);
  return tier ? std::optional(*tier + PlacementScore(node)) : std::nullopt;
}

std::optional<double> NodeScorer::TierScore(TaskId id, NodeId node, bool with_topology) const {
  const Task& task = cluster_.tasks[id];
  const PodClass& cls = cluster_.ClassOf(task);
  const Plugins& plugins = session_.plugins;
  double score = 0;
  if (plugins.nominatednode && Nominated(task, node)) score += kNominatedNode;
  if (with_topology && ScoresTopology()) {
    const auto topology = session_.topology->Score(id, node);
    if (!topology && session_.config.compatibility.Keeps(Quirk::kUnscoredNodes)) {
      return std::nullopt;
    }
    score += topology.value_or(0);
  }
  if (plugins.podaffinity) score += kAffinity * affinity_.Score(node);
  if (plugins.gpusharingorder && SharesGpu(id, node)) score += kGpuSharing;
  if (plugins.nodeavailability && session_.FitsIdle(id, node)) score += kAvailability;
  if (plugins.predicates && !cls.shape->affinity.preferred_nodes.empty()) {
    score += kNodePreference * NodePreference(cls.shape->affinity, cluster_, node);
  }
  if (session_.numa && plugins.numa_scores) score += session_.numa->Score(id, node);
  if (plugins.resourcetype && cls.cpu_only && cluster_.nodes[node].cpu_only) {
    score += kResourceType;
  }
  return score;
}

}  // namespace coppice::engine
