#include "engine/scores/node_preference.h"

#include <algorithm>

namespace coppice::engine {
namespace {

// Per unit of weight, so that any weight outweighs density, and none outweighs being free now.
constexpr double kNodePreference = 10;
constexpr int kMostNodePreference = 99;

}  // namespace

double NodePreference::Score(TaskId task, NodeId node) const {
  const Cluster& cluster = session_.cluster;
  const auto& preferred = cluster.ClassOf(task).shape->affinity.preferred_nodes;
  const std::string_view name = cluster.Text(cluster.nodes()[node].name);
  return kNodePreference *
         std::clamp(Preference(preferred, cluster.LabelsOf(node), name), 0, kMostNodePreference);
}

}  // namespace coppice::engine
