#include "engine/placement/node_scorer.h"

#include <algorithm>
#include <cmath>

#include "engine/cycle/cycle_plugins.h"
#include "engine/gpus/fragmentation.h"

namespace coppice::engine {
namespace {

constexpr double kHighDensity = 9;

// The plugin's bit in the set of plugins that score a task.
template <typename P, size_t... kIndex>
constexpr uint32_t BitOf(std::index_sequence<kIndex...>) {
  return ((std::is_same_v<CyclePluginAt<kIndex>, P> ? 1u << kIndex : 0u) | ...);
}
constexpr uint32_t kTopology =
    BitOf<TopologyPlanner>(std::make_index_sequence<kCyclePluginCount>());

template <size_t kIndex>
bool Scores(const Session& session, TaskId task) {
  if constexpr (Points(CyclePluginAt<kIndex>::kPoints).Has(Point::kScore)) {
    const auto& plugin = session.*std::get<kIndex>(kCyclePlugins);
    return plugin && plugin->Scores(task);
  }
  return false;
}

}  // namespace

void NodeScorer::PrepareClass(TaskId task) {
  const bool gpu = !cluster_.ClassOf(task).cpu_only;
  resource_ = gpu ? kGpu : kCpu;
  placement_ = gpu ? session_.plugins.gpu_placement : session_.plugins.cpu_placement;
  if (session_.fragmentation) {
    // CPU that runs out strands GPUs too.
    placement_ = Placement::kLeastFragmentation;
    session_.fragmentation->Refresh();
    revision_ = session_.fragmentation->Revision(task);
  }
  scoring_ = 0;
  [&]<size_t... kIndex>(std::index_sequence<kIndex...>) {
    ((scoring_ |= Scores<kIndex>(session_, task) ? 1u << kIndex : 0), ...);
  }(std::make_index_sequence<kCyclePluginCount>());
}

double NodeScorer::DensityOrder(TaskId task, NodeId node) const {
  if (placement_ == Placement::kNone) return 0;
  if (placement_ == Placement::kBinpack) return static_cast<double>(Free(node));
  if (placement_ == Placement::kLeastFragmentation) return session_.fragmentation->Loss(task, node);
  return -PlacementScore(task, node);
}

void NodeScorer::Prepare(TaskId task, const NodeSet& nodes) {
  PrepareClass(task);
  any_ = false;
  max_free_ = 0;
  if (placement_ == Placement::kBinpack) {
    for (NodeId node : nodes) {
      if (cluster_.amounts().allocatable(node)[resource_] == 0) continue;
      const int64_t free = Free(node);
      min_free_ = any_ ? std::min(min_free_, free) : free;
      max_free_ = std::max(max_free_, free);
      any_ = true;
    }
  }
  if (session_.pod_affinity) session_.pod_affinity->Prepare(task);
}

int64_t NodeScorer::Free(NodeId node) const {
  return cluster_.amounts().idle(node)[resource_] + cluster_.amounts().releasing(node)[resource_];
}

double NodeScorer::PlacementScore(TaskId task, NodeId id) const {
  const int64_t allocatable = cluster_.amounts().allocatable(id)[resource_];
  if (placement_ == Placement::kNone) return 0;
  if (placement_ == Placement::kLeastFragmentation) {
    // Maps any loss to a score between the highest and zero, decreasing.
    const double loss = session_.fragmentation->Loss(task, id);
    return kHighDensity / 2 * (1 - loss / (1 + std::abs(loss)));
  }
  if (placement_ == Placement::kSpread) {
    int64_t count = allocatable;
    if (resource_ == kGpu) count = cluster_.nodes()[id].gpu_count * kGpuUnit;
    return count == 0 ? 0 : static_cast<double>(Free(id)) / static_cast<double>(count);
  }
  if (allocatable == 0 || max_free_ == 0) return 0;
  if (min_free_ == max_free_) return kHighDensity;
  return kHighDensity * (1 - static_cast<double>(Free(id) - min_free_) /
                                 static_cast<double>(max_free_ - min_free_));
}

std::optional<double> NodeScorer::Score(TaskId id, NodeId node) const {
  const auto tier = TierScore(id, node);
  return tier ? std::optional(*tier + PlacementScore(id, node)) : std::nullopt;
}

template <size_t kIndex>
double NodeScorer::ScoreOf(TaskId task, NodeId node, uint32_t scoring) const {
  if constexpr (Points(CyclePluginAt<kIndex>::kPoints).Has(Point::kScore)) {
    if (scoring >> kIndex & 1) {
      return (session_.*std::get<kIndex>(kCyclePlugins))->Score(task, node);
    }
  }
  return 0;
}

std::optional<double> NodeScorer::TierScore(TaskId task, NodeId node, bool with_topology) const {
  const uint32_t scoring = with_topology ? scoring_ : scoring_ & ~kTopology;
  const double score = [&]<size_t... kIndex>(std::index_sequence<kIndex...>) {
    return (0.0 + ... + ScoreOf<kIndex>(task, node, scoring));
  }(std::make_index_sequence<kCyclePluginCount>());
  return score == kOutOfQuestion ? std::nullopt : std::optional(score);
}

}  // namespace coppice::engine
