#include "engine/gpus/gpu_choice.h"

#include <algorithm>

#include "engine/gpus/fragmentation.h"

namespace coppice::engine {
namespace {

struct GpuCandidate {
  double score;
  const GpuGroup* group;  // nullptr: a whole device.
};

std::vector<GpuCandidate> GpuCandidates(const Session& session, TaskId task, NodeId id) {
  const Cluster& cluster = session.cluster;
  const Node& node = cluster.nodes()[id];
  const Plugins& plugins = session.plugins;
  std::vector<GpuCandidate> candidates;
  for (const auto& group : node.groups) {
    if (!cluster.FitsOnGroup(task, id, group)) continue;
    const double used = static_cast<double>(group.used) / static_cast<double>(node.gpu_memory);
    candidates.push_back(
        {(plugins.gpupack ? used : 0) + (plugins.gpuspread ? 1 - used : 0), &group});
  }
  const int64_t whole = cluster.amounts().idle(id)[kGpu] / kGpuUnit +
                        cluster.amounts().releasing(id)[kGpu] / kGpuUnit;
  for (int64_t i = 0; i < whole && i < cluster.ClassOf(task).gpu.count; ++i) {
    candidates.push_back({plugins.gpuspread ? 1.0 : 0.0, nullptr});
  }
  return candidates;
}

}  // namespace

std::vector<const GpuGroup*> ChooseGpus(const Session& session, TaskId task, NodeId node) {
  const Cluster& cluster = session.cluster;
  if (session.fragmentation && cluster.ClassOf(task).gpu.count == 1) {
    const Fragmentation::Choice choice = session.fragmentation->Choose(task, node);
    return std::vector<const GpuGroup*>(choice.fits ? 1 : 0, choice.group);
  }
  std::vector<GpuCandidate> candidates = GpuCandidates(session, task, node);
  std::stable_sort(candidates.begin(), candidates.end(), [&](const auto& a, const auto& b) {
    if (a.score != b.score) return a.score > b.score;
    if (!a.group || !b.group) return a.group != nullptr && b.group == nullptr;
    // Known GPUs by id, then those that became shared in this cycle, in that order.
    if (a.group->fresh || b.group->fresh) return !a.group->fresh && b.group->fresh;
    return cluster.Text(a.group->id) < cluster.Text(b.group->id);
  });
  const auto wanted = static_cast<size_t>(cluster.ClassOf(task).gpu.count);
  std::vector<const GpuGroup*> chosen;
  for (size_t i = 0; i < std::min(wanted, candidates.size()); ++i) {
    chosen.push_back(candidates[i].group);
  }
  return chosen;
}

}  // namespace coppice::engine
